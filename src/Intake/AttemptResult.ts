import { plural } from "@troupe/domain/Text"
import { Cause, Duration, Effect, Exit, Option, Random } from "effect"
import { counter, open } from "../Runtime/Telemetry/Metrics.ts"
import { InboundFailed, type InboundSource, Superseded } from "./InboundMessage.ts"
import type { InboundClaim, InboundRepo } from "./InboundRepo.ts"

export interface RetryOptions {
  readonly maxAttempts: number
  /** The pause after the first failed attempt; each further one is four times as long. */
  readonly firstPause: Duration.Duration
}

const maxPause = Duration.hours(1)

/** How long after its arrival a message may wait for the end of an outage. */
const maxOutageSeconds = 24 * 3600

/** Saves the result of an attempt. If the database can't be reached, the message is claimed again after its lease. */
export const saveResult = Effect.fnUntraced(function*(
  repo: InboundRepo,
  source: InboundSource,
  { firstPause, maxAttempts }: RetryOptions,
  claim: InboundClaim,
  exit: Exit.Exit<void, unknown>
) {
  if (Exit.isSuccess(exit)) return inboundProcessed(1, { source, result: "done" })
  if (Cause.isInterruptedOnly(exit.cause)) return yield* repo.release(claim, Duration.zero)
  const error = Cause.squash(exit.cause)
  if (error instanceof Superseded) return yield* Effect.logDebug(`Message ${claim.id} was claimed by another consumer`)
  const reason = reasonOf(error)
  const { kind, retryAfter } = error instanceof InboundFailed ? error : InboundFailed.later(reason)
  const subject = `Processing message ${claim.id} of ${source} failed`
  // An attempt during an outage does not count.
  const isOutage = kind === "outage" && claim.ageSeconds < maxOutageSeconds
  if (kind === "refused" || (!isOutage && claim.attempt >= maxAttempts)) {
    inboundProcessed(1, { source, result: "failed" })
    const when = kind === "refused" ? "permanently" : `after ${plural(claim.attempt, "attempt")}`
    yield* Effect.logWarning(`${subject} ${when}; it is kept as failed: ${reason}`)
    return yield* repo.fail(claim, reason)
  }
  const growth = isOutage ? 2 ** Math.min(claim.postponed, 20) : 4 ** (claim.attempt - 1)
  const jitter = yield* Random.nextRange(0.8, 1.2)
  const asked = Option.getOrElse(retryAfter, () => Duration.times(firstPause, jitter * growth))
  const pause = isOutage ? Duration.min(asked, maxPause) : asked
  inboundProcessed(1, { source, result: "retried" })
  yield* Effect.logWarning(`${subject}; next attempt in ${inSeconds(pause)}: ${reason}`)
  yield* isOutage ? repo.postpone(claim, reason, pause) : repo.retry(claim, reason, pause)
})

const inSeconds = (pause: Duration.Duration): string =>
  Duration.format(Duration.seconds(Math.ceil(Duration.toSeconds(pause))))

const reasonOf = (error: unknown): string =>
  (error instanceof Error && error.message !== "" ? error.message : String(error)).slice(0, 1000)

const inboundProcessed = counter(
  "troupe_inbound_processed",
  "Attempts to process a message from outside, by their result.",
  { source: open, result: ["done", "retried", "failed"] }
)
