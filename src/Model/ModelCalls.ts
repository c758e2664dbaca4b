import { modelRetryText } from "@troupe/domain/TaskLog"
import { Cause, Context, Duration, Effect, identity, Option, Random } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { counter, histogram, secondsUpTo, stopwatch } from "../Runtime/Telemetry/Metrics.ts"
import { metered } from "./CutCalls.ts"
import type { Embeddings } from "./Embeddings.ts"
import {
  type ChosenModel,
  type LanguageModel,
  type ModelError,
  type ModelResponse,
  ModelUnavailable,
  plus,
  type UsedTokens,
  withMoreTokens
} from "./Model.ts"
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
export const withRetries = (model: ChosenModel, policy: RetryPolicy): LanguageModel["generate"] => {
  const attempts = (call: Effect.Effect<ModelResponse, ModelError>) => repeated(call, "model", policy, withTokensOf)
  return (request) =>
    inTotalTime(policy, () => {
      const elapsed = stopwatch()
      return Effect.matchCauseEffect(metered(model, request, attempts), {
        onSuccess: (response) => {
          calls(1, { outcome: "answered" })
          callSeconds(elapsed())
          tokens(response.inputTokens, { direction: "input" })
          tokens(response.outputTokens, { direction: "output" })
          return Effect.succeed(response)
        },
        onFailure: (cause) => {
          const error = Cause.failureOption(cause)
          calls(1, { outcome: Option.isSome(error) ? outcomes[error.value._tag] : "died" })
          return Effect.failCause(cause)
        }
      })
    })
}

/** The same for calls of the embeddings. */
export const embeddingsWithRetries = (embeddings: Embeddings["Type"], policy: RetryPolicy): Embeddings["Type"] => ({
  ...embeddings,
  embed: (texts) => inTotalTime(policy, () => repeated(embeddings.embed(texts), "embedding", policy, identity))
})

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

/** With less time left, no other attempt is made. */
const minAttemptMillis = 1_000

const firstPause = 500
const maxPause = 30_000

/** Sets a limit where `CallTimeLeft` allows more time than the policy. */
const inTotalTime = <A, E>(
  { totalTimeout }: RetryPolicy,
  work: () => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) => {
    const timeLeft = Context.get(fiber.currentContext, CallTimeLeft)
    const totalMillis = Duration.toMillis(totalTimeout)
    if (timeLeft() <= totalMillis) return work()
    return Effect.clockWith((clock) => {
      const end = clock.unsafeCurrentTimeMillis() + totalMillis
      const limit = () => Math.min(timeLeft(), end - clock.unsafeCurrentTimeMillis())
      return Effect.provideService(work(), CallTimeLeft, limit)
    })
  })

/** The result of the first attempt that is answered, with what those before it took. A failure has the tokens of all. */
const repeated = <A>(
  call: Effect.Effect<A, ModelError>,
  kind: ModelRetry["call"],
  { maxRetries }: RetryPolicy,
  withTokensOf: (result: A, failed: UsedTokens | undefined) => A
): Effect.Effect<A, ModelError> => {
  const attempt = (failures: number, lost: UsedTokens): Effect.Effect<A, ModelError> =>
    Effect.catchAll(
      call,
      (error) => Effect.flatMap(CallTimeLeft, (timeLeft) => next(error, failures + 1, lost, timeLeft()))
    )

  const next = (error: ModelError, failures: number, lost: UsedTokens, left: number): Effect.Effect<A, ModelError> => {
    if (error._tag !== "ModelUnavailable") return Effect.fail(withMoreTokens(error, lost))
    const asked = error.retryAfter === undefined ? null : Duration.toMillis(error.retryAfter)
    if (failures > maxRetries || left <= (asked ?? 0) + minAttemptMillis) {
      return Effect.fail(withMoreTokens(new ModelUnavailable({ ...error, attempts: failures }), lost))
    }
    return Effect.flatMap(asked === null ? pauseAfter(failures, left) : Effect.succeed(asked), (pause) => {
      const reason = error.reason.replace(/\.$/, "")
      const retry = { call: kind, reason, attempt: failures + 1, attempts: maxRetries + 1, pause: Math.round(pause) }
      return Effect.logWarning(modelRetryText(retry)).pipe(
        Effect.zipRight(Effect.flatMap(OnModelRetry, (tell) => tell(retry))),
        Effect.zipRight(Effect.sleep(pause)),
        Effect.zipRight(attempt(failures, plus(lost, error.tokens))),
        Effect.map((result) => withTokensOf(result, error.tokens))
      )
    })
  }
  return attempt(0, [0, 0])
}

const withTokensOf = (response: ModelResponse, failed: UsedTokens | undefined): ModelResponse => {
  const [inputTokens, outputTokens] = plus([response.inputTokens, response.outputTokens], failed)
  return { ...response, inputTokens, outputTokens }
}

/** Doubles with each failure, give or take a fifth; the last pause leaves time for an attempt. */
const pauseAfter = (failures: number, left: number): Effect.Effect<number> =>
  Effect.map(
    Random.nextRange(0.8, 1.2),
    (jitter) => Math.min(Math.min(firstPause * 2 ** (failures - 1), maxPause) * jitter, left - minAttemptMillis)
  )
