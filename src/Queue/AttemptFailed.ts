import { Data, type Duration, Effect, Option } from "effect"

/**
 * An attempt to process a message failed. `later`: it is repeated. `outage`: an external service is unavailable; this
 * counts no attempt, and the message waits for up to a day. `refused`: a later attempt fails too. `uncertain`: it may
 * have had its effect outside, so it is not repeated. `reason` has no secrets.
 */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly kind: "later" | "outage" | "refused" | "uncertain"
  readonly reason: string
  readonly retryAfter: Option.Option<Duration.Duration>
}> {
  override get message() {
    return this.reason
  }

  static readonly as = (
    kind: AttemptFailed["kind"],
    reason: string,
    retryAfter: AttemptFailed["retryAfter"] = Option.none()
  ) => new AttemptFailed({ kind, reason, retryAfter })

  static readonly later = (reason: string, retryAfter?: AttemptFailed["retryAfter"]) =>
    AttemptFailed.as("later", reason, retryAfter)

  static readonly outage = (reason: string, retryAfter?: AttemptFailed["retryAfter"]) =>
    AttemptFailed.as("outage", reason, retryAfter)

  static readonly refused = (reason: string) => AttemptFailed.as("refused", reason)
}

/** Another attempt has claimed the message, so this one rolls back. */
export class Superseded extends Data.TaggedError("Superseded") {
  override readonly message = "Another attempt has claimed the message."
}

/** Whether the attempt is the current one; if it is not, it fails. */
export const orSuperseded = <E, R>(
  isCurrent: Effect.Effect<boolean, E, R>
): Effect.Effect<boolean, E | Superseded, R> => Effect.filterOrFail(isCurrent, (is) => is, () => new Superseded())
