import createClient, { type Client } from "openapi-fetch"
import type { paths } from "./generated/OpenApi.ts"
import { ConnectionFailed, errorOf, isTransient, TroupeError } from "./TroupeError.ts"

export interface ConnectionOptions {
  /** Where the service is, such as `http://127.0.0.1:8000`; in a browser also relative to the page, such as `../`. */
  readonly url: string | URL
  /** For a service in hosted mode: an ID token, or what fetches a fresh one. A page with a session cookie needs none. */
  readonly token?: string | (() => string | Promise<string>)
  readonly fetch?: typeof globalThis.fetch
  /** Which program of the service sends the requests: the steps of a task show by which way a person answered. */
  readonly client?: "console" | "command-line"
  /** Milliseconds without data of its response after which a request fails; default 30,000. Uploads get more. */
  readonly timeout?: number
}

export interface HttpCalls {
  /** Responses are complete; a refusal is thrown as a `TroupeError`. */
  readonly http: Client<paths>
  /** Sends a request once; the body of the response has yet to arrive. */
  readonly open: (request: Request, idleTimeout: IdleTimeout) => Promise<Response>
  /** Sends a request whose body has a file of so many bytes. */
  readonly upload: (request: Request, bytes: number) => Promise<Response>
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
  // After the wanted time, not at it: all that were refused at once would come back at once.
  return pause(wanted + backOff(attempt), signal)
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

/** Chromium gives an empty stream where the specification has no body, and then refuses a `Response` that has it. */
const hasBody = (
  response: Response
): response is Response & { readonly body: ReadableStream<Uint8Array<ArrayBuffer>> } =>
  response.body !== null && ![204, 205, 304].includes(response.status)

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
      return hasBody(response) ? new Response(response.body.pipeThrough(watched()), response) : response
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

/** `fetch` does not report the progress of an upload, so each 32 KiB of the body may take another second. */
const uploadMillis = (bytes: number): number => bytes / 32.768

/** The response with all of its body. */
const complete = async (response: Response): Promise<Response> =>
  hasBody(response) ? new Response(await response.blob(), response) : response

/** Whether a request takes effect once, however often it is sent. */
const isRepeatable = ({ headers, method }: Request): boolean => method === "GET" || headers.has("idempotency-key")

export const makeHttpCalls = (options: ConnectionOptions): HttpCalls => {
  const fetch = options.fetch ?? globalThis.fetch
  const timeout = options.timeout ?? 30_000

  const open: HttpCalls["open"] = async (request, idleTimeout) => {
    const token = typeof options.token === "function" ? await options.token() : options.token
    if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`)
    if (options.client !== undefined) request.headers.set("troupe-client", options.client)
    const response = await fetch(request, { signal: idleTimeout.signal }).then(idleTimeout.watch).catch(
      (cause: unknown) => {
        throw idleTimeout.failure(cause)
      }
    )
    if (!response.ok) throw await errorOf(response)
    return response
  }

  const upload: HttpCalls["upload"] = async (request, bytes) => {
    for (let attempt = 0;; attempt++) {
      const idleTimeout = makeIdleTimeout(timeout + uploadMillis(bytes), request.signal)
      try {
        return await complete(await open(isRepeatable(request) ? request.clone() : request, idleTimeout)).catch(
          (cause: unknown) => {
            throw idleTimeout.failure(cause)
          }
        )
      } catch (error) {
        const isOver = attempt + 1 >= maxAttempts || request.signal.aborted
        if (isOver || !isRepeatable(request) || !isTransient(error)) throw error
        await pauseBefore(attempt, error, request.signal)
      } finally {
        idleTimeout.clear()
      }
    }
  }

  // A relative address is one of the page's, as it is now.
  const baseUrl = new Request(options.url).url.replace(/(?<!\/)\/+$/, "")
  return { http: createClient<paths>({ baseUrl, fetch: (request) => upload(request, 0) }), open, upload }
}
