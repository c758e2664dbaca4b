import { Duration, Effect, Option, Random } from "effect"
import { InboundFailed } from "./InboundMessage.ts"
import type { InboundClaim } from "./InboundRepo.ts"

/** What to do after a failed attempt. `Postpone`: it does not count. */
export type RetryDecision =
  | { readonly _tag: "Fail" }
  | { readonly _tag: "Postpone" | "Retry"; readonly pause: Duration.Duration }

const maxPause = Duration.hours(1)

/** How long after its arrival a message may wait for the end of an outage. */
const maxOutage = Duration.days(1)

export const retryDecisionOf = (
  claim: InboundClaim,
  error: unknown,
  { firstPause, maxAttempts }: { readonly firstPause: Duration.Duration; readonly maxAttempts: number }
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

export const reasonOf = (error: unknown): string =>
  (error instanceof Error && error.message !== "" ? error.message : String(error)).slice(0, 1000)
