export interface FieldError {
  /** Dotted path into the body, or the name of a parameter or header. */
  readonly path: string
  readonly message: string
}

/** The service refused a request (`problem+json`, RFC 9457); the message says what to do about it. */
export class TroupeError extends Error {
  override readonly name = "TroupeError"
  readonly status: number
  /** `/problems/<slug>`: the kind of problem. */
  readonly type: string
  readonly title: string
  /** The request's id, which the log of the service has too. */
  readonly instance: string
  readonly errors: ReadonlyArray<FieldError>
  /** For some types: the facts behind the message. */
  readonly facts: unknown
  /** Seconds after which to retry; null: unknown. */
  readonly retryAfter: number | null

  constructor(status: number, retryAfter: number | null, problem: Readonly<Record<string, unknown>>) {
    const text = (name: string) => {
      const value = problem[name]
      return typeof value === "string" ? value : ""
    }
    super(text("detail") || `The service responded with status ${status}.`)
    this.status = status
    this.retryAfter = retryAfter
    this.type = text("type")
    this.title = text("title")
    this.instance = text("instance")
    this.facts = problem["facts"] ?? null
    this.errors = Array.isArray(problem["errors"]) ? problem["errors"] : []
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** A proxy's response may not be JSON. */
export const errorOf = async (response: Response): Promise<TroupeError> => {
  const problem: unknown = await response.json().catch(() => null)
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new TroupeError(response.status, Number.isFinite(seconds) ? seconds : null, isObject(problem) ? problem : {})
}

/** No connection to the service, or it broke or timed out before the response was complete. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed"

  constructor(cause: unknown) {
    super(`No complete response from the service: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Whether the request may succeed later: no connection, too many requests, or a restarting service. */
export const isTransient = (error: unknown): boolean =>
  error instanceof TroupeError ? error.status === 429 || error.status >= 502 : error instanceof ConnectionFailed
