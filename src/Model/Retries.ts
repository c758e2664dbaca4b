import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { retryLater } from "../Runtime/RetryLater.ts"
import { Embeddings } from "./Embeddings.ts"
import { Model, type ModelError, ModelRejected, ModelUnavailable, type UsedTokens } from "./Model.ts"

export interface RetryPolicy {
  readonly maxRetries: number
  /** The longest that a call may take with all its attempts and pauses, also where `CallTimeLeft` sets no limit. */
  readonly totalTimeout: Duration.Duration
}

/**
 * Retries calls that fail with `ModelUnavailable`, after a doubling pause or the provider's, while the time left allows
 * it. The tokens of all attempts are counted.
 */
export const layer = (policy: RetryPolicy): Layer.Layer<Embeddings | Model, never, Embeddings | Model> =>
  Layer.effectContext(Effect.map(Effect.all([Model, Embeddings]), ([model, embeddings]) => {
    const retried = makeRetried(policy)
    return Context.make(Model, {
      ...model,
      generate: (request) =>
        Effect.suspend(() => {
          let lost: UsedTokens = [0, 0]
          const add = ({ tokens = [0, 0] }: ModelUnavailable) => {
            lost = plus(lost, tokens)
          }
          return Effect.mapBoth(retried(model.generate(request), add), {
            onSuccess: (response) =>
              lost[0] + lost[1] === 0 ? response : {
                ...response,
                inputTokens: response.inputTokens + lost[0],
                outputTokens: response.outputTokens + lost[1]
              },
            onFailure: (error) => lost[0] + lost[1] === 0 ? error : withTokens(error, lost)
          })
        })
    }).pipe(
      Context.add(Embeddings, { ...embeddings, embed: (texts) => retried(embeddings.embed(texts), () => {}) })
    )
  }))

/** Milliseconds. With less left than this, no other attempt is made. */
const minAttemptMillis = 1_000

const timeLeft = Effect.map(CallTimeLeft, (millis) => millis())

const scheduleOf = (maxRetries: number): Schedule.Schedule<unknown, ModelError> =>
  Schedule.exponential("500 millis").pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, "30 seconds")),
    Schedule.jittered,
    // The last pause leaves time for an attempt.
    Schedule.modifyDelayEffect((_, delay) =>
      Effect.map(timeLeft, (left) => Duration.min(delay, Duration.millis(Math.max(0, left - minAttemptMillis))))
    ),
    Schedule.intersect(Schedule.identity<ModelError>()),
    Schedule.modifyDelay(([, failed], delay) => pauseOf(failed) ?? delay),
    Schedule.intersect(Schedule.recurs(maxRetries)),
    Schedule.whileInputEffect((failed: ModelError) =>
      failed._tag === "ModelUnavailable"
        ? Effect.map(timeLeft, (left) => left > Duration.toMillis(failed.retryAfter ?? 0) + minAttemptMillis)
        : Effect.succeed(false)
    )
  )

const pauseOf = (failed: ModelError) => failed._tag === "ModelUnavailable" ? failed.retryAfter : undefined

/** Gives a call no more time than `total`, however much is left otherwise. */
const within = <A, E>(total: Duration.Duration, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(CallTimeLeft, (left) => {
    const millis = Duration.toMillis(total)
    return left() <= millis ? call : Effect.clockWith((clock) => {
      const end = clock.unsafeCurrentTimeMillis() + millis
      return Effect.provideService(call, CallTimeLeft, () => Math.min(left(), end - clock.unsafeCurrentTimeMillis()))
    })
  })

const makeRetried = ({ maxRetries, totalTimeout }: RetryPolicy) => {
  const schedule = scheduleOf(maxRetries)
  return <A>(
    call: Effect.Effect<A, ModelError>,
    onFailure: (failed: ModelUnavailable) => void
  ): Effect.Effect<A, ModelError> =>
    Effect.suspend(() => {
      let attempts = 0
      const attempt = Effect.tapErrorTag(call, "ModelUnavailable", (failed) =>
        Effect.sync(() => {
          attempts += 1
          onFailure(failed)
        }))
      return Effect.catchTag(within(totalTimeout, retryLater(attempt, schedule)), "ModelUnavailable", (error) =>
        unavailable(error, { attempts }))
    })
}

const plus = (one: UsedTokens, other: UsedTokens): UsedTokens => [one[0] + other[0], one[1] + other[1]]

/** A failure with what all attempts cost; what a failed last one cost is in `lost`. */
const withTokens = (error: ModelError, lost: UsedTokens): ModelError => {
  switch (error._tag) {
    case "ModelRejected": {
      const { provider, reason, status, tokens = [0, 0] } = error
      return new ModelRejected({ provider, reason, status, tokens: plus(tokens, lost) })
    }
    case "ModelUnavailable":
      return unavailable(error, { tokens: lost })
    case "ContextOverflow":
      return error
  }
}

const unavailable = (
  { attempts, fix, provider, reason, retryAfter, tokens }: ModelUnavailable,
  more: Partial<Pick<ModelUnavailable, "attempts" | "tokens">>
) => new ModelUnavailable({ provider, reason, fix, retryAfter, attempts, tokens, ...more })
