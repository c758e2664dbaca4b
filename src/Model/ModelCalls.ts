import { modelRetryText } from "@troupe/domain/TaskLog"
import { Cause, Context, Duration, Effect, Layer, Option, Schedule, ScheduleDecision, ScheduleIntervals } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { retryLater } from "../Runtime/Database/HotPath.ts"
import { counter, histogram, secondsUpTo, stopwatch } from "../Runtime/Telemetry/Metrics.ts"
import { Embeddings } from "./Embeddings.ts"
import { Model, type ModelError, ModelRejected, ModelUnavailable, type UsedTokens } from "./Model.ts"
import { type ModelRetry, OnModelRetry } from "./ModelRetry.ts"

export interface RetryPolicy {
  readonly maxRetries: number
  /** The longest that a call may take with all its attempts and pauses, also where `CallTimeLeft` sets no limit. */
  readonly totalTimeout: Duration.Duration
}

/**
 * Retries calls that fail with `ModelUnavailable`, after a doubling pause or the provider's, while the time left allows
 * it. Each retry is logged and told to `OnModelRetry`. The tokens of all attempts are counted.
 * Metrics count a call of the model once, with all its retries.
 */
export const layer = (policy: RetryPolicy): Layer.Layer<Embeddings | Model, never, Embeddings | Model> =>
  Layer.effectContext(Effect.map(Effect.all([Model, Embeddings]), ([model, embeddings]) => {
    const retried = makeRetried(policy)
    return Context.make(Model, {
      ...model,
      generate: (request) =>
        Effect.suspend(() => {
          const elapsed = stopwatch()
          const failed = noAttempts()
          return Effect.matchCauseEffect(retried(model.generate(request), failed, "model"), {
            onSuccess: (response) => {
              const [input, output] = plus([response.inputTokens, response.outputTokens], failed.tokens)
              calls(1, { outcome: "answered" })
              callSeconds(elapsed())
              tokens(input, { direction: "input" })
              tokens(output, { direction: "output" })
              return Effect.succeed({ ...response, inputTokens: input, outputTokens: output })
            },
            onFailure: (cause) => {
              const error = Cause.failureOption(cause)
              calls(1, { outcome: Option.isSome(error) ? outcomes[error.value._tag] : "died" })
              return Effect.failCause(cause)
            }
          })
        })
    }).pipe(Context.add(Embeddings, {
      ...embeddings,
      embed: (texts) => Effect.suspend(() => retried(embeddings.embed(texts), noAttempts(), "embedding"))
    }))
  }))

const calls = counter(
  "troupe_model_calls",
  "Calls of the language model that were not interrupted, each with all its retries.",
  {
    outcome: ["answered", "unavailable", "rejected", "overflow", "died"]
  }
)

const outcomes = { ModelUnavailable: "unavailable", ModelRejected: "rejected", ContextOverflow: "overflow" } as const

const callSeconds = histogram(
  "troupe_model_call_seconds",
  "How long a call of the language model took that was answered, with all its retries.",
  secondsUpTo(300)
)

const tokens = counter("troupe_model_tokens", "Tokens that were sent to the language model and that it wrote.", {
  direction: ["input", "output"]
})

/** The attempts of a call that failed as unavailable, and why the last one did. */
interface FailedAttempts {
  count: number
  reason: string
  tokens: UsedTokens
}

const noAttempts = (): FailedAttempts => ({ count: 0, reason: "", tokens: [0, 0] })

/** With less time left, no other attempt is made. */
const minAttemptMillis = 1_000

const makeRetried = ({ maxRetries, totalTimeout }: RetryPolicy) => {
  const totalMillis = Duration.toMillis(totalTimeout)
  const schedule = scheduleOf(maxRetries)
  return <A>(
    call: Effect.Effect<A, ModelError>,
    failed: FailedAttempts,
    kind: ModelRetry["call"]
  ): Effect.Effect<A, ModelError> =>
    Effect.withFiberRuntime((fiber) => {
      const noted = Schedule.tapInput(schedule, (error: ModelError) =>
        Effect.sync(() => {
          if (error._tag !== "ModelUnavailable") return
          failed.count += 1
          failed.reason = error.reason.replace(/\.$/, "")
          failed.tokens = plus(failed.tokens, error.tokens)
        }))
      const announced = Schedule.onDecision(noted, (_, decision) =>
        ScheduleDecision.isDone(decision) ? Effect.void : Effect.clockWith((clock) => {
          const pause = ScheduleIntervals.start(decision.intervals) - clock.unsafeCurrentTimeMillis()
          const retry: ModelRetry = {
            call: kind,
            reason: failed.reason,
            attempt: failed.count + 1,
            attempts: maxRetries + 1,
            pause: Math.max(0, Math.round(pause))
          }
          const tellCaller = Effect.flatMap(OnModelRetry, (tell) =>
            tell(retry))
          return Effect.zipRight(Effect.logWarning(modelRetryText(retry)), tellCaller)
        }))
      const attempts = Effect.mapError(retryLater(call, announced), (error) =>
        withAttempts(error, failed))
      const timeLeft = Context.get(fiber.currentContext, CallTimeLeft)
      return timeLeft() <= totalMillis ? attempts : Effect.clockWith((clock) => {
        const end = clock.unsafeCurrentTimeMillis() + totalMillis
        const limit = () => Math.min(timeLeft(), end - clock.unsafeCurrentTimeMillis())
        return Effect.provideService(attempts, CallTimeLeft, limit)
      })
    })
}

const scheduleOf = (maxRetries: number): Schedule.Schedule<unknown, ModelError> =>
  Schedule.exponential("500 millis").pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, "30 seconds")),
    Schedule.jittered,
    // The last pause leaves time for an attempt.
    Schedule.modifyDelayEffect((_, delay) =>
      Effect.map(CallTimeLeft, (left) => Duration.min(delay, Duration.millis(Math.max(0, left() - minAttemptMillis))))
    ),
    Schedule.intersect(Schedule.identity<ModelError>()),
    Schedule.modifyDelay(([, failed], delay) => pauseOf(failed) ?? delay),
    Schedule.intersect(Schedule.recurs(maxRetries)),
    Schedule.whileInputEffect((failed: ModelError) =>
      Effect.map(
        CallTimeLeft,
        (left) =>
          failed._tag === "ModelUnavailable"
          && left() > Duration.toMillis(failed.retryAfter ?? 0) + minAttemptMillis
      )
    )
  )

const pauseOf = (failed: ModelError) => failed._tag === "ModelUnavailable" ? failed.retryAfter : undefined

const plus = ([input, output]: UsedTokens, [more, moreOutput]: UsedTokens = [0, 0]): UsedTokens => [
  input + more,
  output + moreOutput
]

/** The failure of a call, with what all its attempts cost. */
const withAttempts = (error: ModelError, { count, tokens }: FailedAttempts): ModelError => {
  const hasUsed = tokens.some((used) => used > 0)
  switch (error._tag) {
    case "ModelRejected":
      return hasUsed ? new ModelRejected({ ...error, tokens: plus(tokens, error.tokens) }) : error
    case "ModelUnavailable":
      return new ModelUnavailable({ ...error, attempts: count, tokens: hasUsed ? tokens : error.tokens })
    case "ContextOverflow":
      return error
  }
}
