import * as Sse from "@effect/experimental/Sse"
import { HttpBody, HttpClient, type HttpClientError, type HttpClientResponse } from "@effect/platform"
import { Clock, Duration, Effect, Option, Predicate, Redacted, Schedule, Stream } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { type ModelError, ModelRejected, ModelUnavailable } from "./Model.ts"
import { type CallFailure, failureOf, type OptionRefused, PassingFailure } from "./ProviderFailure.ts"
import { names, type RemoteProvider } from "./RemoteProvider.ts"
import { retryAfter } from "./RetryAfter.ts"

/** No answer is read beyond this. */
const maxBytes = 16 * 1024 * 1024

/** A provider that asks for a longer pause than this is not waited for. */
const longestPause = Duration.minutes(2)

const probeLimit = Duration.seconds(5)

/** One provider over HTTP: each call with the key, the time-out, the retries and the body limit of the settings. */
export interface ProviderClient {
  readonly provider: RemoteProvider
  readonly post: <A>(
    path: string,
    body: string,
    read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, CallFailure>
  ) => Effect.Effect<A, ModelError | OptionRefused>
  /** Lists the provider's models, once and quickly: it answers and knows the key. */
  readonly probe: Effect.Effect<void, ModelError>
  /** The whole body as text. */
  readonly text: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<string, CallFailure>
  /** Hands over the data of each server-sent event in turn, and ends with the stream. */
  readonly events: (
    response: HttpClientResponse.HttpClientResponse,
    onData: (data: string) => Effect.Effect<void, CallFailure>
  ) => Effect.Effect<void, CallFailure>
}

export const makeProviderClient = (
  client: HttpClient.HttpClient,
  settings: ModelSettings,
  provider: RemoteProvider
): ProviderClient => {
  const base = provider.baseUrl.replace(/\/+$/, "")
  const { title, url } = names[provider._tag]
  // The adapters' spans tell the story; a trace header would only tell the provider about our insides.
  const quiet = client.pipe(HttpClient.withTracerDisabledWhen(() => true), HttpClient.withTracerPropagation(false))

  const passing = (reason: string) => new PassingFailure({ reason, retryAfter: Option.none() })

  const unreachable = (error: HttpClientError.HttpClientError): CallFailure =>
    error.reason === "InvalidUrl"
      ? new ModelRejected({ provider: provider._tag, status: 0, reason: `${url} is not a web address.` })
      : passing(`${title} could not be reached or hung up${codeOf(error.cause)}: check ${url} and the network`)

  const tooLong = (status: number) =>
    new ModelRejected({
      provider: provider._tag,
      status,
      reason: `${title} sent an answer of more than ${maxBytes >> 20} MiB, which is not read.`
    })

  const limited = (response: HttpClientResponse.HttpClientResponse): Stream.Stream<string, CallFailure> => {
    let bytes = 0
    return response.stream.pipe(
      Stream.mapError(unreachable),
      Stream.mapEffect((chunk) => {
        bytes += chunk.byteLength
        return bytes > maxBytes ? Effect.fail(tooLong(response.status)) : Effect.succeed(chunk)
      }),
      Stream.decodeText()
    )
  }

  const text = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string, CallFailure> => {
    const length = Number(response.headers["content-length"] ?? Number.NaN)
    if (length > maxBytes) return Effect.fail(tooLong(response.status))
    return length >= 0 ? Effect.mapError(response.text, unreachable) : Stream.mkString(limited(response))
  }

  const events: ProviderClient["events"] = (response, onData) =>
    Effect.suspend(() => {
      let pending: Array<string> = []
      const parser = Sse.makeParser((event) => {
        if (event._tag === "Event") pending.push(event.data)
      })
      const feed = (chunk: string): Effect.Effect<void, CallFailure> => {
        if (parser.feed(chunk) !== undefined) return Effect.fail(tooLong(response.status))
        if (pending.length === 0) return Effect.void
        const complete = pending
        pending = []
        return Effect.forEach(complete, onData, { discard: true })
      }
      // The blank lines dispatch a last event that the server did not end properly.
      return Effect.zipRight(Stream.runForEach(limited(response), feed), Effect.suspend(() => feed("\n\n")))
    })

  const failure = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<never, CallFailure> =>
    Effect.gen(function*() {
      const body = yield* text(response)
      const pause = retryAfter(response.headers, body, yield* Clock.currentTimeMillis)
      return yield* Effect.fail(failureOf(provider, { status: response.status, body, retryAfter: pause }))
    })

  const retries = Schedule.exponential("500 millis").pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, "30 seconds")),
    Schedule.jittered,
    Schedule.intersect(Schedule.identity<CallFailure>()),
    Schedule.modifyDelay(([, failure], delay) => Option.getOrElse(pauseOf(failure), () => delay)),
    Schedule.intersect(Schedule.recurs(settings.maxRetries)),
    Schedule.whileInput((failure: CallFailure) =>
      failure._tag === "PassingFailure" && !Option.exists(pauseOf(failure), Duration.greaterThan(longestPause))
    )
  )

  const attempt = <A>(
    request: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
    read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, CallFailure>,
    limit: Duration.Duration
  ) =>
    request.pipe(
      Effect.mapError(unreachable),
      Effect.flatMap((response) =>
        response.status >= 200 && response.status < 300 ? read(response) : failure(response)
      ),
      Effect.timeoutFail({
        duration: limit,
        onTimeout: () => passing(`${title} gave no complete answer within ${Duration.format(limit)}`)
      })
    )

  const unavailable = (attempts: number) => ({ reason, retryAfter }: PassingFailure) => {
    const told = Option.match(Option.filter(retryAfter, Duration.greaterThan(longestPause)), {
      onNone: () => attempts === 1 ? "" : `, ${attempts} times in a row`,
      onSome: (pause) => ` and asks to wait ${Duration.format(pause)}`
    })
    return Effect.fail(new ModelUnavailable({ provider: provider._tag, reason: `${reason}${told}.` }))
  }

  const headers = () =>
    Option.match(provider.apiKey, {
      onNone: () => ({}),
      onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
    })

  return {
    provider,
    text,
    events,
    post: (path, body, read) =>
      attempt(
        Effect.suspend(() =>
          quiet.post(base + path, {
            headers: headers(),
            body: HttpBody.raw(body, { contentType: "application/json" })
          })
        ),
        read,
        settings.requestTimeout
      ).pipe(
        Effect.retry(retries),
        Effect.catchTag("PassingFailure", unavailable(settings.maxRetries + 1))
      ),
    probe: attempt(
      Effect.suspend(() => quiet.get(`${base}/models`, { headers: headers() })),
      text,
      Duration.min(settings.requestTimeout, probeLimit)
    ).pipe(
      Effect.asVoid,
      Effect.catchTags({
        PassingFailure: unavailable(1),
        OptionRefused: ({ rejected }) => Effect.fail(rejected)
      })
    )
  }
}

/** Whether the server streams; some answer in one piece although asked to. */
export const isEventStream = (response: HttpClientResponse.HttpClientResponse): boolean =>
  response.headers["content-type"]?.toLowerCase().includes("text/event-stream") === true

const pauseOf = (failure: CallFailure): Option.Option<Duration.Duration> =>
  failure._tag === "PassingFailure" ? failure.retryAfter : Option.none()

/** The code of a socket failure (`ECONNREFUSED`), which says more than any sentence. */
const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? ` (${cause.code})` : ""
