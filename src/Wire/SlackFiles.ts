import { type Agent, type Dispatcher, request } from "@effect/platform-node/Undici"
import { Effect, Redacted, Stream } from "effect"
import { isSecureUrl } from "../Runtime/SecureUrl.ts"
import { type ChatFailed, chatFailed } from "./ChatPlatform.ts"
import type { SlackOptions } from "./SlackCalls.ts"
import { failureOf, timedOut } from "./SlackFailure.ts"

/** Requests to addresses that the platform has given us, besides its Web API. */
export interface SlackFiles {
  readonly upload: (uploadUrl: string, content: Uint8Array) => Effect.Effect<void, ChatFailed>
  readonly download: (url: string, maxBytes: number) => Stream.Stream<Uint8Array, ChatFailed>
  readonly respond: (responseUrl: string, message: object) => Effect.Effect<void, ChatFailed>
}

export const makeFiles = (agent: Agent, options: SlackOptions): SlackFiles => {
  const send = (method: string, isWrite: boolean, url: string, init: RequestInit) => {
    const failed = (status: number | null, retryAfter: string | undefined, cause: unknown) =>
      failureOf({ method, isWrite, status, retryAfter, platformError: null, cause })
    return isOfPlatform(options.baseUrl, url)
      ? Effect.tryPromise({
        try: (signal) => request(url, { ...init, dispatcher: agent, signal }),
        catch: (cause) => failed(null, undefined, cause)
      }).pipe(
        Effect.filterOrElse(
          ({ statusCode }) => statusCode === 200,
          ({ body, headers, statusCode }) =>
            Effect.zipRight(
              Effect.ignore(Effect.tryPromise(() => body.dump())),
              failed(statusCode, String(headers["retry-after"]), null)
            )
        )
      )
      : Effect.fail(chatFailed("refused", `The address for ${method} is not one of the chat platform.`))
  }
  const sent = (method: string, isWrite: boolean, url: string, init: RequestInit) =>
    send(method, isWrite, url, { ...init, method: "POST" }).pipe(
      Effect.flatMap(({ body }) => Effect.ignore(Effect.tryPromise(() => body.dump()))),
      Effect.timeoutFail({ duration: options.timeout, onTimeout: () => timedOut(method, isWrite, options.timeout) })
    )
  return {
    upload: (url, content) =>
      sent("the upload of a file", false, url, {
        headers: { "content-type": "application/octet-stream" },
        body: content
      }),
    respond: (url, message) =>
      sent("a response", true, url, {
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(message)
      }),
    download: (url, maxBytes) => {
      const method = "the download of a file"
      const headers = { authorization: `Bearer ${Redacted.value(options.token)}`, "accept-encoding": "identity" }
      const tooLong = chatFailed("refused", `The file is longer than ${maxBytes} bytes.`)
      return Stream.unwrap(
        Effect.map(
          send(method, false, url, { method: "GET", headers }),
          ({ body }) =>
            Stream.fromAsyncIterable<Uint8Array, unknown>(body, (cause) => cause).pipe(
              Stream.mapError((cause) =>
                failureOf({ method, isWrite: false, status: null, retryAfter: undefined, platformError: null, cause })
              ),
              Stream.mapAccumEffect(0, (bytes, chunk) => {
                const sum = bytes + chunk.byteLength
                return sum > maxBytes ? tooLong : Effect.succeed([sum, chunk] as const)
              })
            )
        )
      ).pipe(Stream.interruptWhen(Effect.delay(timedOut(method, false, options.timeout), options.timeout)))
    }
  }
}

type RequestInit = Pick<Dispatcher.RequestOptions, "body" | "headers"> & { readonly method?: "GET" | "POST" }

/** The Web API's own origin, or a host under its domain (`files.` and `hooks.`), over TLS. */
const isOfPlatform = (baseUrl: URL, text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, origin } = new URL(text)
  const domain = baseUrl.hostname.replace(/^(?:www|api)\./, "")
  return origin === baseUrl.origin || (isSecureUrl(text) && hostname.endsWith(`.${domain}`))
}
