import { plural } from "@troupe/domain/Text"
import { Cause, Data, Duration, Effect, Exit, Option, Random } from "effect"
import { counter, open } from "../Runtime/Metrics.ts"
import { InboundFailed, type InboundSource } from "./InboundMessage.ts"
import type { InboundClaim, InboundRepo } from "./InboundRepo.ts"

/** Another consumer has claimed the message, so this one rolls back. */
export class Superseded extends Data.TaggedError("Superseded") {
  override readonly message = "Another consumer has claimed the message."
}

/** What to do after a failed attempt. `Postpone`: it does not count. */
type RetryDecision =
  | { readonly _tag: "Fail" }
  | { readonly _tag: "Postpone" | "Retry"; readonly pause: Duration.Duration }

export interface RetryOptions {
  readonly maxAttempts: number
  /** The pause after the first failed attempt; each further one is four times as long. */
  readonly firstPause: Duration.Duration
}

const maxPause = Duration.hours(1)

/** How long after its arrival a message may wait for the end of an outage. */
const maxOutage = Duration.days(1)

const retryDecisionOf = (
  claim: InboundClaim,
  error: unknown,
  { firstPause, maxAttempts }: RetryOptions
): Effect.Effect<RetryDecision> =>
  Effect.map(Random.nextRange(0.8, 1.2), (jitter) => {
    const failed = error instanceof InboundFailed ? error : null
    const given = failed === null ? Option.none<Duration.Duration>() : failed.retryAfter
    if (failed?.kind === "outage" && Duration.lessThan(claim.age, maxOutage)) {
      const pause = Duration.times(firstPause, jitter * 2 ** Math.min(claim.postponed, 20))
      return { _tag: "Postpone", pause: Duration.min(Option.getOrElse(given, () => pause), maxPause) }
    }
    if (failed?.kind === "refused" || claim.attempt >= maxAttempts) return { _tag: "Fail" }
    const pause = Duration.times(firstPause, jitter * 4 ** (claim.attempt - 1))
    return { _tag: "Retry", pause: Option.getOrElse(given, () => pause) }
  })

/** Saves the result of an attempt. If the database can't be reached, the message is claimed again after its lease. */
export const saveResult = (
  repo: InboundRepo["Type"],
  source: InboundSource,
  options: RetryOptions,
  claim: InboundClaim,
  exit: Exit.Exit<void, unknown>
) => {
  if (Exit.isSuccess(exit)) return Effect.sync(() => inboundProcessed(1, { source, result: "done" }))
  if (Cause.isInterruptedOnly(exit.cause)) return repo.release(claim, Duration.zero)
  const error = Cause.squash(exit.cause)
  if (error instanceof Superseded) return Effect.logDebug(`Message ${claim.id} was claimed by another consumer`)
  const reason = reasonOf(error)
  const subject = `Processing message ${claim.id} of ${source} failed`
  return Effect.flatMap(retryDecisionOf(claim, error, options), (decision) => {
    if (decision._tag === "Fail") {
      inboundProcessed(1, { source, result: "failed" })
      const isRefused = error instanceof InboundFailed && error.kind === "refused"
      const when = isRefused ? "permanently" : `after ${plural(claim.attempt, "attempt")}`
      return Effect.zipRight(
        Effect.logWarning(`${subject} ${when}; it is kept as failed: ${reason}`),
        repo.fail(claim, reason)
      )
    }
    const { _tag, pause } = decision
    inboundProcessed(1, { source, result: "retried" })
    return Effect.zipRight(
      Effect.logWarning(`${subject}; next attempt in ${inSeconds(pause)}: ${reason}`),
      _tag === "Retry" ? repo.retry(claim, reason, pause) : repo.postpone(claim, reason, pause)
    )
  })
}

const inSeconds = (pause: Duration.Duration): string =>
  Duration.format(Duration.seconds(Math.ceil(Duration.toSeconds(pause))))

const reasonOf = (error: unknown): string =>
  (error instanceof Error && error.message !== "" ? error.message : String(error)).slice(0, 1000)

const inboundProcessed = counter(
  "troupe_inbound_processed",
  "Attempts to process a message from outside, by their result.",
  { source: open, result: ["done", "retried", "failed"] }
)
