import { type Agent, type Dispatcher, request } from "@effect/platform-node/Undici"
import { type FetchFunction, LogLevel, WebAPIPlatformError, WebClient } from "@slack/web-api"
import { Clock, Duration, Effect, Option, Redacted } from "effect"
import { makeExpiringMap } from "../../Runtime/Cache.ts"
import { type ChatFailed, chatFailed } from "../ChatPlatform.ts"
import { heldBack, slackFailure, timedOut } from "./SlackFailure.ts"
import type { SlackResponse } from "./SlackResponses.ts"

export interface SlackOptions {
  readonly baseUrl: URL
  readonly token: Redacted.Redacted
  readonly timeout: Duration.DurationInput
}

type FetchResponse = Awaited<ReturnType<FetchFunction>>

type Arguments = Readonly<Record<string, unknown>>

/** Methods of a channel to which the platform wants no call for a while. */
const maxHeld = 1_000

/**
 * Calls methods of the Web API. Arguments without a value are not sent. Where the platform limits the rate of a method in
 * a channel, no call of it there is made before the time that it names: each fails with what is left of it.
 */
export const makeCalls = (agent: Agent, options: SlackOptions) => {
  const held = makeExpiringMap<string, number>({ capacity: maxHeld, timeToLive: 0 })

  const unlessHeld = (method: string, args: Arguments) => <A>(calling: Effect.Effect<A, ChatFailed>) =>
    Effect.gen(function*() {
      const key = `${method} ${String(args["channel"] ?? args["channel_id"] ?? "")}`
      const until = yield* held.get(key)
      if (Option.isSome(until)) return yield* heldBack(method, until.value - (yield* Clock.currentTimeMillis))
      return yield* Effect.tapError(
        calling,
        ({ kind, retryAfter }) =>
          kind === "rate_limited" && Option.isSome(retryAfter)
            ? Effect.flatMap(
              Clock.currentTimeMillis,
              (now) => held.set(key, now + Duration.toMillis(retryAfter.value), retryAfter.value)
            )
            : Effect.void
      )
    })

  const call = (isWrite: boolean) => <A>(method: string, args: Arguments, decode: SlackResponse<A>) =>
    Effect.flatMap(
      unlessHeld(method, args)(attempt(agent, options, isWrite, method, args)),
      (result) =>
        Effect.mapError(
          decode(result),
          () => chatFailed("refused", `The chat platform's response to ${method} lacks what is needed.`)
        )
    )
  return {
    read: call(false),
    /** For what people see, so that a broken connection leaves it uncertain. */
    write: call(true)
  }
}

const attempt = (agent: Agent, options: SlackOptions, isWrite: boolean, method: string, args: Arguments) => {
  let response: Dispatcher.ResponseData | null = null
  // A client for each call, because only its transport learns of the interruption.
  const calling = Effect.tryPromise({
    try: (signal) =>
      clientOf(options, transport(agent, signal, (data) => (response = data))).apiCall(method, { ...args }),
    catch: (cause) =>
      slackFailure({
        method,
        isWrite,
        status: response?.statusCode,
        retryAfter: headerOf(response?.headers["retry-after"]),
        platformError: cause instanceof WebAPIPlatformError ? cause.data.error : undefined,
        cause: causeOf(cause)
      })
  })
  return calling.pipe(
    Effect.timeoutFail({ duration: options.timeout, onTimeout: () => timedOut(method, isWrite, options.timeout) }),
    Effect.withSpan("ChatPlatform.call", { attributes: { method } })
  )
}

const causeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "original" in cause ? cause.original : cause

const clientOf = ({ baseUrl, token }: SlackOptions, fetch: FetchFunction) =>
  new WebClient(Redacted.value(token), {
    slackApiUrl: baseUrl.href,
    allowAbsoluteUrls: false,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    logger: silent,
    fetch
  })

const ignore = () => {}

/** The client's log lines name channels and users, and each of its failures is an error here. */
const silent = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  setName: ignore,
  getLevel: () => LogLevel.ERROR
}

/** `request` neither follows redirects nor uses proxies of the environment nor decompresses. */
const transport =
  (agent: Agent, signal: AbortSignal, onResponse: (data: Dispatcher.ResponseData) => void): FetchFunction =>
  (url, init = {}) =>
    request(url, {
      dispatcher: agent,
      method: "POST",
      headers: { ...init.headers, "Accept-Encoding": "identity" },
      body: typeof init.body === "string" ? init.body : null,
      signal
    }).then((data) => {
      onResponse(data)
      return responseOf(String(url), data)
    })

export const headerOf = (value: string | Array<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

const responseOf = (
  url: string,
  { body, headers, statusCode, statusText }: Dispatcher.ResponseData
): FetchResponse => ({
  ok: statusCode >= 200 && statusCode < 300,
  status: statusCode,
  statusText,
  url,
  headers: {
    get: (name) => headerOf(headers[name.toLowerCase()]) ?? null,
    entries: () => Object.entries(headers).map(([name, value]): [string, string] => [name, headerOf(value) ?? ""])
  },
  arrayBuffer: () => body.arrayBuffer(),
  json: () => body.json(),
  text: () => body.text()
})
