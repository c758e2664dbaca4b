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

  /** Of any failure or defect. */
  static readonly from = (error: unknown) =>
    error instanceof AttemptFailed ? error : AttemptFailed.later(
      (error instanceof Error && error.message !== "" ? error.message : String(error)).slice(0, 1000)
    )

  static readonly refused = (reason: string) => AttemptFailed.as("refused", reason)
}

/** The message is no longer this attempt's, so this one rolls back and saves no result. */
export class Superseded extends Data.TaggedError("Superseded")<{ readonly message: string }> {
  static readonly byClaim = () => new Superseded({ message: "another attempt has claimed it" })
}

/** Whether the attempt is the current one; if it is not, it fails. */
export const orSuperseded = <E, R>(
  isCurrent: Effect.Effect<boolean, E, R>
): Effect.Effect<boolean, E | Superseded, R> => Effect.filterOrFail(isCurrent, (is) => is, Superseded.byClaim)
