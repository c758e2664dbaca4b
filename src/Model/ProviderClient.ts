import { Clock, Duration, Effect, Option, Redacted, Schedule, Stream } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { makeEventReader, maxEventLength } from "./EventStream.ts"
import { type ModelError, ModelRejected, ModelUnavailable } from "./Model.ts"
import { type CallFailure, failureOf, type OptionRefused, PassingFailure } from "./ProviderFailure.ts"
import { names, type RemoteProvider } from "./RemoteProvider.ts"
import { retryAfter } from "./RetryAfter.ts"
import { type ExchangeFailed, maxReplyBytes, type OpenReply, type Reply, type Transport } from "./Transport.ts"

/** A provider that asks for a longer pause than this is not waited for. */
const longestPause = Duration.minutes(2)

/** Milliseconds. With less left than this, no other try is made. */
const leastForATry = 1_000

const probeLimit = Duration.seconds(5)

export type Read<A> = (body: string) => Effect.Effect<A, CallFailure>

/** Takes in a stream, the data of some events at a time, and says in the end what came of it. */
export interface Intake<A> {
  readonly take: (events: ReadonlyArray<string>) => Effect.Effect<void, CallFailure>
  readonly end: Effect.Effect<A, CallFailure>
}

/** One provider over HTTP: each call with the key, the time-out, the retries and the body limit of the settings. */
export interface ProviderClient {
  readonly post: <A>(path: string, body: string, read: Read<A>) => Effect.Effect<A, ModelError | OptionRefused>
  /** Reads server-sent events; an answer in one piece, which some servers send all the same, goes to `read`. */
  readonly stream: <A>(
    path: string,
    body: string,
    intake: Effect.Effect<Intake<A>>,
    read: Read<A>
  ) => Effect.Effect<A, ModelError | OptionRefused>
  /** Lists the provider's models, once and quickly: it answers and knows the key. */
  readonly probe: Effect.Effect<void, ModelError>
}

export const makeProviderClient = (
  transport: Transport["Type"],
  settings: ModelSettings,
  provider: RemoteProvider
): ProviderClient => {
  const base = provider.baseUrl.replace(/(?<!\/)\/+$/, "")
  const { title, url } = names[provider._tag]
  const limit = settings.requestTimeout
  const totalMillis = Duration.toMillis(settings.totalTimeout ?? Duration.infinity)

  const passing = (reason: string, fix: string) => new PassingFailure({ reason, fix, retryAfter: Option.none() })
  const rejected = (status: number, reason: string) => new ModelRejected({ provider: provider._tag, status, reason })
  const late = (after: Duration.Duration) =>
    passing(
      `${title} gave no complete answer within ${Duration.format(after)}`,
      "Retry the task later, or raise MODEL_REQUEST_TIMEOUT."
    )
  const tooLong = rejected(200, `${title} sent an answer of more than ${maxReplyBytes >> 20} MiB, which is not read.`)
  const longEvent = rejected(
    200,
    `${title} sent an event of more than ${maxEventLength >> 20} MiB in a stream, which is not read.`
  )

  const unanswered = (after: Duration.Duration) => ({ code, what }: ExchangeFailed): CallFailure => {
    switch (what) {
      case "badAddress":
        return rejected(0, `${url} is not a web address.`)
      case "timedOut":
        return late(after)
      case "tooLong":
        return tooLong
      case "unreachable":
        return passing(
          `${title} could not be reached or hung up${code === "" ? "" : ` (${code})`}`,
          `Check ${url} and the network.`
        )
    }
  }

  const request = (method: "GET" | "POST", path: string, body: string | null, timeout: Duration.Duration) => ({
    method,
    url: base + path,
    headers: {
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...Option.match(provider.apiKey, {
        onNone: () => ({}),
        onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
      })
    },
    body,
    timeoutMillis: Duration.toMillis(timeout)
  })

  const failure = ({ body, headers, status }: Reply): Effect.Effect<never, CallFailure> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => Effect.fail(failureOf(provider, { status, body, retryAfter: retryAfter(headers, body, now) }))
    )

  const whole = <A>(exchange: ReturnType<typeof request>, read: Read<A>) =>
    transport.exchange(exchange).pipe(
      Effect.mapError(unanswered(Duration.millis(exchange.timeoutMillis))),
      Effect.flatMap((reply) => isGood(reply) ? read(reply.body) : failure(reply))
    )

  const text = ({ chunks }: OpenReply): Stream.Stream<string, CallFailure> => {
    let bytes = 0
    return chunks.pipe(
      Stream.mapError(unanswered(limit)),
      Stream.mapEffect((chunk) => {
        bytes += chunk.byteLength
        return bytes > maxReplyBytes ? Effect.fail(tooLong) : Effect.succeed(chunk)
      }),
      Stream.decodeText()
    )
  }

  const events = <A>(reply: OpenReply, { end, take }: Intake<A>): Effect.Effect<A, CallFailure> => {
    const { feed } = makeEventReader(take, longEvent)
    // The blank lines dispatch a last event that the server did not end properly.
    return Stream.runForEach(Stream.concat(text(reply), Stream.make("\n\n")), feed).pipe(Effect.zipRight(end))
  }

  const streamed = <A>(exchange: ReturnType<typeof request>, intake: Effect.Effect<Intake<A>>, read: Read<A>) => {
    const limit = Duration.millis(exchange.timeoutMillis)
    return transport.open(exchange).pipe(
      Effect.mapError(unanswered(limit)),
      Effect.flatMap((reply) => {
        if (isGood(reply) && isEventStream(reply)) return Effect.flatMap(intake, (into) => events(reply, into))
        return Effect.flatMap(
          Stream.mkString(text(reply)),
          (body) => isGood(reply) ? read(body) : failure({ ...reply, body })
        )
      }),
      Effect.scoped,
      Effect.timeoutFail({ duration: limit, onTimeout: () => late(limit) })
    )
  }

  /** `left`: the milliseconds that remain for all tries. The last pause leaves room for a try. */
  const retries = (left: Effect.Effect<number>) =>
    Schedule.exponential("500 millis").pipe(
      Schedule.modifyDelay((_, delay) => Duration.min(delay, "30 seconds")),
      Schedule.jittered,
      Schedule.modifyDelayEffect((_, delay) =>
        Effect.map(left, (millis) => Duration.min(delay, Duration.millis(Math.max(0, millis - leastForATry))))
      ),
      Schedule.intersect(Schedule.identity<CallFailure>()),
      Schedule.modifyDelay(([, failed], delay) => Option.getOrElse(pauseOf(failed), () => delay)),
      Schedule.intersect(Schedule.recurs(settings.maxRetries)),
      Schedule.whileInput((failed: CallFailure) =>
        failed._tag === "PassingFailure" && !Option.exists(pauseOf(failed), Duration.greaterThan(longestPause))
      )
    )

  const unavailable = (attempts: number) => ({ fix, reason, retryAfter: pause }: PassingFailure) => {
    const told = Option.match(Option.filter(pause, Duration.greaterThan(longestPause)), {
      onNone: () => attempts === 1 ? "" : `, ${attempts} times in a row`,
      onSome: (long) => ` and asks to wait ${Duration.format(long)}`
    })
    return Effect.fail(new ModelUnavailable({ provider: provider._tag, reason: `${reason}${told}. ${fix}`.trim() }))
  }

  /** Tries again for as long as there is time for all tries together, so that the provider's reason is what ends it. */
  const persistent = <A>(
    attempt: (timeout: Duration.Duration) => Effect.Effect<A, CallFailure>
  ): Effect.Effect<A, ModelError | OptionRefused> =>
    Effect.clockWith((clock) => {
      const start = clock.unsafeCurrentTimeMillis()
      let tries = 0
      const left = Effect.sync(() => totalMillis - (clock.unsafeCurrentTimeMillis() - start))
      const next = Effect.flatMap(left, (millis) => {
        tries += 1
        return attempt(Duration.min(limit, Duration.millis(Math.max(1, millis))))
      })
      /** Only a call that has failed pays for the means to try again. */
      const again = (failed: PassingFailure) => {
        let isFirst = true
        return Effect.suspend(() => {
          if (!isFirst) return next
          isFirst = false
          return Effect.fail(failed)
        }).pipe(
          Effect.retry({
            schedule: retries(left),
            while: (failed) => {
              const pause = Option.match(pauseOf(failed), { onNone: () => 0, onSome: Duration.toMillis })
              return Effect.map(left, (millis) => millis > pause + leastForATry)
            }
          }),
          Effect.catchTag("PassingFailure", (failed) => unavailable(tries)(failed))
        )
      }
      return Effect.catchTag(next, "PassingFailure", again)
    })

  const quick = Duration.min(limit, probeLimit)
  return {
    post: (path, body, read) => persistent((timeout) => whole(request("POST", path, body, timeout), read)),
    stream: (path, body, intake, read) =>
      persistent((timeout) => streamed(request("POST", path, body, timeout), intake, read)),
    probe: Effect.suspend(() => whole(request("GET", "/models", null, quick), () => Effect.void)).pipe(
      Effect.catchTags({
        PassingFailure: unavailable(1),
        OptionRefused: (error) => Effect.fail(error.rejected)
      })
    )
  }
}

const isGood = ({ status }: { readonly status: number }) => status >= 200 && status < 300

const isEventStream = ({ headers }: OpenReply): boolean =>
  String(headers["content-type"]).toLowerCase().includes("text/event-stream")

const pauseOf = (failed: CallFailure): Option.Option<Duration.Duration> =>
  failed._tag === "PassingFailure" ? failed.retryAfter : Option.none()
