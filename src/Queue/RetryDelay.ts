import { Duration, Effect, Option, Random } from "effect"
import type { AttemptFailed } from "./AttemptFailed.ts"
import type { QueueClaim } from "./Queue.ts"

export interface RetryOptions {
  /** Before the second attempt; each further delay is so many times longer, up to an hour. */
  readonly firstDelay: Duration.DurationInput
  readonly growth: number
}

const maxDelay = Duration.hours(1)

/** During an outage. Uncounted claims include those of a rate limit, so the delay must not grow far. */
const maxOutageDelay = Duration.minutes(5)

/** In so many attempts the delay that the receiver asks for counts if it is longer than ours; after that, ours. */
const minAsked = Duration.seconds(1)
const maxAsked = 10

/** How long after its arrival a row may wait for the end of an outage. */
const maxOutageSeconds = 24 * 3600

/** An attempt during an outage does not count. */
export const isOutage = ({ ageSeconds }: QueueClaim, { kind }: AttemptFailed): boolean =>
  kind === "outage" && ageSeconds < maxOutageSeconds

/** How long a row waits after a failed attempt. */
export const delayAfter = (
  claim: QueueClaim,
  failure: AttemptFailed,
  { firstDelay, growth }: RetryOptions
): Effect.Effect<Duration.Duration> => {
  const inOutage = isOutage(claim, failure)
  const grown = (by: number, failures: number, max: Duration.Duration) =>
    Duration.min(Duration.times(firstDelay, by ** Math.min(failures, 20)), max)
  const own = inOutage
    ? grown(2, claim.epoch - claim.attempts, maxOutageDelay)
    : grown(growth, claim.attempts - 1, maxDelay)
  const asked = Option.filter(failure.retryAfter, () => inOutage || claim.attempts <= maxAsked)
  return Effect.map(Random.nextRange(1, 1.2), (jitter) => {
    const delay = Option.match(asked, {
      onNone: () => Duration.times(own, jitter),
      // Receivers may ask for anything; what follows in the order waits too.
      onSome: (wanted) => {
        const least = Duration.min(own, minAsked)
        return Duration.min(Duration.sum(Duration.max(wanted, least), Duration.times(least, jitter - 1)), maxDelay)
      }
    })
    return Duration.millis(Math.round(Duration.toMillis(delay)))
  })
}
