import { ConnectionFailed, errorOf, isTransient, TroupeError } from "./TroupeError.ts"

export interface ConnectionOptions {
  /** Where the service is, such as `http://127.0.0.1:8000`. */
  readonly url: string | URL
  /** For a service in hosted mode: an ID token, or what fetches a fresh one. */
  readonly token?: string | (() => string | Promise<string>)
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds without data of its response after which a request fails; default 30,000. Uploads get more. */
  readonly timeout?: number
}

export interface Call {
  readonly method: "DELETE" | "GET" | "POST"
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: FormData
  readonly signal?: AbortSignal
  /** Whether it may be sent again if it may have arrived. */
  readonly isRepeatable?: boolean
}

export interface HttpCalls {
  /** The result of `read` on the response, retried while the service restarts; fails with a `TroupeError`. */
  readonly send: <A>(call: Call, read: (response: Response) => Promise<A>) => Promise<A>
  readonly open: (call: Call, idleTimeout: IdleTimeout) => Promise<Response>
}

export const maxAttempts = 5

/** Milliseconds before the next attempt: doubling from 250 to 5,000, with jitter. */
const backOff = (attempt: number): number => {
  const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
  return Math.min(5000, 250 * 2 ** attempt) * (1 - random / 512)
}

export const pause = (millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal?.addEventListener("abort", stop, { once: true })
  })

export const pauseBefore = (attempt: number, error: unknown, signal?: AbortSignal): Promise<void> => {
  const wanted = error instanceof TroupeError && error.retryAfter !== null ? Math.min(30, error.retryAfter) * 1000 : 0
  return pause(Math.max(wanted, backOff(attempt)), signal)
}

/** The time that an attempt may pass without data of its response. */
export interface IdleTimeout {
  readonly signal: AbortSignal
  readonly watch: (response: Response) => Response
  readonly failure: (cause: unknown) => unknown
  readonly clear: () => void
  readonly abort: () => void
}

/** A longer timer fires at once. */
const maxTimer = 2 ** 31 - 1

export const makeIdleTimeout = (millis: number, caller: AbortSignal | undefined): IdleTimeout => {
  const controller = new AbortController()
  const end = () => controller.abort(new DOMException(`nothing arrived for ${millis / 1000} s`, "TimeoutError"))
  const begin = () => setTimeout(end, Math.min(millis, maxTimer))
  let timer = begin()
  const clear = () => clearTimeout(timer)
  const restart = () => {
    clear()
    timer = begin()
  }
  const watched = (): TransformStream<Uint8Array, Uint8Array> =>
    new TransformStream({
      transform: (piece, output) => {
        restart()
        output.enqueue(piece)
      }
    })
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    watch: (response) => {
      restart()
      return response.body === null ? response : new Response(response.body.pipeThrough(watched()), response)
    },
    failure: (cause) =>
      caller?.aborted === true ? caller.reason : cause instanceof TroupeError ? cause : new ConnectionFailed(cause),
    clear,
    abort: () => {
      clear()
      controller.abort()
    }
  }
}

/** `fetch` does not say what it has sent of a body, so 32 KiB of it may take a second more. */
const uploadMillis = (body: FormData | undefined): number => {
  let bytes = 0
  for (const value of body?.values() ?? []) bytes += typeof value === "string" ? 0 : value.size
  return bytes / 32.768
}

export const makeHttpCalls = (options: ConnectionOptions): HttpCalls => {
  const fetch = options.fetch ?? globalThis.fetch
  const timeout = options.timeout ?? 30_000
  const base = String(options.url).replace(/(?<!\/)\/+$/, "")

  const open = async (call: Call, idleTimeout: IdleTimeout): Promise<Response> => {
    const url = new URL(`${base}${call.path}`)
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const token = typeof options.token === "function" ? await options.token() : options.token
    const headers = new Headers(call.headers)
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
    if (call.json !== undefined) headers.set("content-type", "application/json")
    const body = call.json === undefined ? call.body : JSON.stringify(call.json)
    const response = await fetch(url, {
      method: call.method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: idleTimeout.signal
    }).then(idleTimeout.watch).catch((cause: unknown) => {
      throw idleTimeout.failure(cause)
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }

  const send: HttpCalls["send"] = async (call, read) => {
    for (let attempt = 0;; attempt++) {
      const idleTimeout = makeIdleTimeout(timeout + uploadMillis(call.body), call.signal)
      try {
        return await read(await open(call, idleTimeout)).catch((cause: unknown) => {
          throw idleTimeout.failure(cause)
        })
      } catch (error) {
        const isOver = attempt + 1 >= maxAttempts || call.signal?.aborted === true
        if (isOver || call.isRepeatable !== true || !isTransient(error)) throw error
        await pauseBefore(attempt, error, call.signal)
      } finally {
        idleTimeout.clear()
      }
    }
  }

  return { open, send }
}
