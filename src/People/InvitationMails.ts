import type { Invitation } from "@troupe/domain/Team"
import { Context, Effect, Layer } from "effect"

/** Mails invitations, if SMTP is set up. An invitation is valid without its mail. */
export class InvitationMails extends Context.Tag("troupe/People/InvitationMails")<InvitationMails, {
  readonly write: (invitation: Invitation) => Effect.Effect<void>
}>() {
  static readonly layerNone: Layer.Layer<InvitationMails> = Layer.succeed(this, { write: () => Effect.void })
}
