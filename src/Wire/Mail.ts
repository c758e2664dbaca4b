import type { Mailbox } from "@troupe/domain/Mailbox"
import { Context, Effect, Layer, Schema } from "effect"

/** A mail on its way out. The sender is the service's own. */
export interface OutgoingMail {
  /** The part of its Message-ID before the @: the same for the same mail, however often it is sent. */
  readonly id: string
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: ReadonlyArray<{ readonly filename: string; readonly content: Uint8Array }>
}

/** A server took the mail, for all its recipients but those that it refused. */
export interface Delivery {
  /** With its angle brackets; the server's own where it gives mails another one. */
  readonly messageId: string
  readonly accepted: ReadonlyArray<string>
  readonly refused: ReadonlyArray<{ readonly address: string; readonly reason: string }>
}

/**
 * No server took the mail: SMTP is `unconfigured`, the mail or the settings are `refused` for good, or it is
 * `unavailable` and may be tried later. `uncertain`: the connection broke while the mail was being handed over, so the
 * server may have it. `reason` is whole plain sentences without secrets.
 */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  kind: Schema.Literal("unconfigured", "refused", "unavailable", "uncertain"),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Where mail leaves. Sending is one attempt: whoever wants more keeps the mail, and its id stays the same. */
export class Mail extends Context.Tag("troupe/Wire/Mail")<Mail, {
  readonly send: (mail: OutgoingMail) => Effect.Effect<Delivery, MailFailed>
  /** Signs in to the server and sends nothing; answers what it found in a sentence. */
  readonly verify: Effect.Effect<string, MailFailed>
}>() {
  /** Sends nothing, and says what to set. */
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
