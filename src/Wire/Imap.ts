import { Context, Duration, Effect, Layer, type Option, Schema, type Scope } from "effect"

/** `refused` needs a change of the settings, `unavailable` may be tried later. `reason` is whole sentences without secrets. */
export class ImapFailed extends Schema.TaggedError<ImapFailed>()("ImapFailed", {
  kind: Schema.Literal("unconfigured", "refused", "unavailable"),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface MailSource {
  readonly size: number
  /** Its beginning, up to the bytes that were asked for. */
  readonly bytes: Uint8Array
  /** When the server received it, in ISO 8601. */
  readonly receivedAt: Option.Option<string>
}

/** Unread mails that are older than this are ignored. */
export const maxMailAge = Duration.days(7)
/** Of those, the ones that the service may have missed: not everything that a mailbox has collected. */
export const maxMissedAge = Duration.days(30)

/** A mailbox over one connection. After a failure, open it again. */
export interface OpenMailbox {
  /** The account and the mailbox, the same each time. */
  readonly name: string
  /** If it changes, the server has given all mails new UIDs. */
  readonly uidValidity: string
  /** Whether the server announces new mails by itself. */
  readonly announces: boolean
  /** UIDs of the unread mails that arrived at most so long ago (whole days), the oldest first. */
  readonly unseen: (maxAge: Duration.Duration) => Effect.Effect<ReadonlyArray<number>, ImapFailed>
  /** UIDs of the unread mails that arrived between `maxAge` and `minAge` ago, the oldest first. */
  readonly unseenBefore: (
    minAge: Duration.Duration,
    maxAge: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<number>, ImapFailed>
  /** UIDs of all mails, read or not, that arrived at most so long ago (whole days), the oldest first. */
  readonly recent: (maxAge: Duration.Duration) => Effect.Effect<ReadonlyArray<number>, ImapFailed>
  /** None if the mail has gone. It stays unread. */
  readonly read: (uid: number, maxBytes: number) => Effect.Effect<Option.Option<MailSource>, ImapFailed>
  readonly markSeen: (uid: number) => Effect.Effect<void, ImapFailed>
  /** Returns once the server has announced a mail since the last call. */
  readonly announced: Effect.Effect<void, ImapFailed>
}

/** Reads the mailbox that `IMAP_MAILBOX` names. */
export class Imap extends Context.Tag("troupe/Wire/Imap")<Imap, {
  readonly open: Effect.Effect<OpenMailbox, ImapFailed, Scope.Scope>
}>() {
  static readonly layerUnconfigured: Layer.Layer<Imap> = Layer.succeed(
    this,
    this.of({
      open: Effect.fail(
        new ImapFailed({
          kind: "unconfigured",
          reason: "Reading mail is not set up: set IMAP_HOST, IMAP_USER and IMAP_PASSWORD."
        })
      )
    })
  )
}
