import type { Mailbox } from "@troupe/domain/Mailbox"
import { Context, Effect, Layer, Schema } from "effect"

export interface OutgoingMail {
  /** The part of its Message-ID before the @; the same each time the mail is sent. */
  readonly id: string
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: ReadonlyArray<{ readonly filename: string; readonly content: Uint8Array }>
}

export interface Delivery {
  /** With angle brackets; the server may replace ours. */
  readonly messageId: string
  readonly accepted: ReadonlyArray<string>
  readonly refused: ReadonlyArray<{ readonly address: string; readonly reason: string }>
}

/**
 * `refused` is permanent, `unavailable` may be tried later. `uncertain`: the connection broke during the transfer, so
 * the server may have the mail. `reason` is whole sentences without secrets.
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
  readonly send: (mail: OutgoingMail) => Effect.Effect<Delivery, MailFailed>
  /** Signs in to the server and sends nothing; answers what it found in a sentence. */
  readonly verify: Effect.Effect<string, MailFailed>
}>() {
  static readonly layerUnconfigured: Layer.Layer<Mail> = Layer.sync(this, () => {
    const unconfigured = Effect.fail(
      new MailFailed({
        kind: "unconfigured",
        reason: "Sending mail is not set up: set SMTP_HOST and SMTP_FROM (and SMTP_PORT, SMTP_SECURE, SMTP_USER, "
          + "SMTP_PASSWORD as the server wants)."
      })
    )
    return Mail.of({ send: () => unconfigured, verify: unconfigured })
  })
}
