import type { Mailbox } from "@troupe/domain/Mailbox"
import { Context, Effect, Layer, Option, Schema } from "effect"

export interface OutgoingMail {
  /** The part of its Message-ID before the @; the same each time the mail is sent. */
  readonly id: string
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: ReadonlyArray<AttachedFile>
  /** The mail that it answers; none: it begins a thread. */
  readonly answers: Option.Option<AnsweredMail>
}

export interface AttachedFile {
  readonly filename: string
  readonly content: Uint8Array
}

/** Message-IDs with angle brackets. */
export interface AnsweredMail {
  readonly messageId: string
  /** The mails before it, the oldest first. */
  readonly references: ReadonlyArray<string>
}

export const smtpUnconfigured = "Sending mail is not set up: set SMTP_HOST and SMTP_FROM (and SMTP_PORT, SMTP_SECURE, "
  + "SMTP_USER, SMTP_PASSWORD as the server wants)."

export const messageIdOf = ({ address }: Mailbox, id: string): string =>
  `<${id}@${address.slice(address.lastIndexOf("@") + 1)}>`

export interface SentMail {
  readonly messageId: string
  readonly accepted: ReadonlyArray<string>
  readonly refused: ReadonlyArray<{ readonly address: string; readonly reason: string }>
}

/**
 * `unavailable`: not sent, may be retried. `uncertain`: the server got the whole mail and did not respond. `reason` has
 * no secrets.
 */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  kind: Schema.Literal("unconfigured", "refused", "unavailable", "uncertain"),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Sends mail. A call is one attempt; a caller that repeats it keeps the mail's id. */
export class Mail extends Context.Tag("troupe/Wire/Mail")<Mail, {
  /** The service's own address; none: sending mail is not set up. */
  readonly sender: Option.Option<Mailbox>
  /** Runs `beforeTransfer` when the server has accepted the envelope, and sends nothing if that fails. */
  readonly send: <E = never>(
    mail: OutgoingMail,
    beforeTransfer?: Effect.Effect<void, E>
  ) => Effect.Effect<SentMail, MailFailed | E>
  /** Signs in to the server and sends nothing; answers what it found in a sentence. */
  readonly verify: Effect.Effect<string, MailFailed>
}>() {
  static readonly layerUnconfigured: Layer.Layer<Mail> = Layer.sync(this, () => {
    const unconfigured = Effect.fail(new MailFailed({ kind: "unconfigured", reason: smtpUnconfigured }))
    return Mail.of({ sender: Option.none(), send: () => unconfigured, verify: unconfigured })
  })
}
