import { type Agent, type Dispatcher, request } from "@effect/platform-node/Undici"
import { Effect, Redacted, Stream } from "effect"
import { isSecureUrl } from "../../Runtime/NetworkAddress.ts"
import type { ChatFile } from "../ChatContent.ts"
import { type ChatFailed, chatFailed } from "../ChatPlatform.ts"
import { headerOf, type SlackOptions } from "./SlackCalls.ts"
import { slackFailure, timedOut } from "./SlackFailure.ts"

/** Requests to addresses that the platform has given us, besides its Web API. */
export const makeTransfers = (agent: Agent, options: SlackOptions) => {
  /** The token goes to the platform alone, not to the hosts that keep its files. */
  const get = (url: string, hops: number): Effect.Effect<Dispatcher.ResponseData, ChatFailed> => {
    const isTrusted = isOfPlatform(options.baseUrl, url)
    if (!isTrusted && (hops === maxRedirects || !isOfFileHost(options.baseUrl, url))) {
      const { host } = URL.canParse(url) ? new URL(url) : { host: "no address" }
      return Effect.fail(chatFailed("refused", `The download leads to ${host}, which is not one of the chat platform.`))
    }
    const headers = {
      "accept-encoding": "identity",
      ...(isTrusted ? { authorization: `Bearer ${Redacted.value(options.token)}` } : {})
    }
    return Effect.tryPromise({
      try: (signal) => request(url, { method: "GET", headers, dispatcher: agent, signal }),
      catch: (cause) => slackFailure({ method: download, isWrite: false, cause })
    }).pipe(
      Effect.timeoutFail({ duration: options.timeout, onTimeout: () => timedOut(download, false, options.timeout) }),
      Effect.flatMap((response) => response.statusCode === 200 ? Effect.succeed(response) : onward(response, url, hops))
    )
  }
  const onward = ({ body, headers, statusCode: status }: Dispatcher.ResponseData, url: string, hops: number) =>
    Effect.zipRight(
      dumped(body),
      Effect.suspend(() => {
        const location = headerOf(headers["location"]) ?? ""
        if (redirects.includes(status) && hops > 0 && URL.canParse(location, url)) {
          return get(new URL(location, url).href, hops - 1)
        }
        return status < 500 && !passing.includes(status)
          ? chatFailed("refused", `The chat platform refused ${download} with status ${status}.`)
          : slackFailure({ method: download, isWrite: false, status, retryAfter: headerOf(headers["retry-after"]) })
      })
    )
  const send = (method: string, isWrite: boolean, url: string, init: RequestInit) =>
    isOfPlatform(options.baseUrl, url)
      ? Effect.tryPromise({
        try: (signal) => request(url, { ...init, dispatcher: agent, signal }),
        catch: (cause) => slackFailure({ method, isWrite, cause })
      }).pipe(
        Effect.filterOrElse(
          ({ statusCode }) => statusCode === 200,
          ({ body, headers, statusCode: status }) =>
            Effect.zipRight(
              dumped(body),
              slackFailure({ method, isWrite, status, retryAfter: headerOf(headers["retry-after"]) })
            )
        )
      )
      : Effect.fail(chatFailed("refused", `The address for ${method} is not one of the chat platform.`))
  const sent = (method: string, isWrite: boolean, url: string, init: RequestInit) =>
    send(method, isWrite, url, { ...init, method: "POST" }).pipe(
      Effect.flatMap(({ body }) => dumped(body)),
      Effect.timeoutFail({ duration: options.timeout, onTimeout: () => timedOut(method, isWrite, options.timeout) })
    )
  return {
    upload: (url: string, content: Uint8Array) =>
      sent("the upload of a file", false, url, {
        headers: { "content-type": "application/octet-stream" },
        body: content
      }),
    respond: (url: string, message: object) =>
      sent("a response", true, url, {
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(message)
      }),
    download: (file: ChatFile, maxBytes: number) =>
      Effect.flatMap(
        get(file.downloadUrl ?? "", maxRedirects),
        ({ body, headers }) =>
          Stream.fromAsyncIterable<Uint8Array, ChatFailed>(
            body,
            (cause) => slackFailure({ method: download, isWrite: false, cause })
          ).pipe(
            Stream.mapAccumEffect(0, (bytes, chunk) => {
              const sum = bytes + chunk.byteLength
              return sum > maxBytes ? tooLong(maxBytes) : Effect.succeed([sum, chunk] as const)
            }),
            Stream.interruptWhen(Effect.delay(timedOut(download, false, options.timeout), options.timeout)),
            Stream.runCollect,
            Effect.map((chunks) => Buffer.concat([...chunks])),
            Effect.filterOrElse(
              (content) => isWhole(file, content) || (file.size === null && !isWebPage(headers)),
              ({ length }) => isWebPage(headers) ? webPage : sizeDiffers(length, file.size ?? 0)
            )
          )
      )
  }
}

const download = "the download of a file"

/** The platform moves downloads to other hosts of its own. */
const maxRedirects = 3

const redirects: ReadonlyArray<number> = [301, 302, 303, 307, 308]

/** That they fail today says nothing about tomorrow; after another one, the same request fails again. */
const passing: ReadonlyArray<number> = [408, 425, 429]

const tooLong = (maxBytes: number) => chatFailed("refused", `The file is longer than ${maxBytes} bytes.`)

const isWebPage = (headers: Dispatcher.ResponseData["headers"]): boolean =>
  /^text\/html\b/i.test(headerOf(headers["content-type"]) ?? "")

const webPage = chatFailed(
  "refused",
  "The chat platform sent a web page in place of the file, as it does where the app of CHAT_BOT_TOKEN has no scope "
    + "files:read."
)

/** The size of a text may count its characters. */
const isWhole = ({ contentType, size }: ChatFile, content: Buffer): boolean =>
  size === content.length || (contentType?.startsWith("text/") === true && size === content.toString("utf8").length)

/** The platform stated another size of the file. */
const sizeDiffers = (length: number, size: number) =>
  chatFailed("refused", `The download has ${length} bytes in place of ${size}.`, { about: "file" })

const dumped = (body: Dispatcher.ResponseData["body"]) => Effect.ignore(Effect.tryPromise(() => body.dump()))

type RequestInit = Pick<Dispatcher.RequestOptions, "body" | "headers"> & { readonly method?: "GET" | "POST" }

/** The Web API's own origin, or a host under its domain (`files.` and `hooks.`), over TLS. */
const isOfPlatform = (baseUrl: URL, text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, origin } = new URL(text)
  const domain = baseUrl.hostname.replace(/^(?:www|api)\./, "")
  return origin === baseUrl.origin || (isSecureUrl(text) && hostname.endsWith(`.${domain}`))
}

/** Where the public platform keeps the content of files, at addresses that are secret. */
const isOfFileHost = (baseUrl: URL, text: string): boolean =>
  /(?:^|\.)slack\.com$/.test(baseUrl.hostname) && isSecureUrl(text)
  && /(?:^|\.)slack-(?:edge|files)\.com$/.test(new URL(text).hostname)
