import type { Invitation } from "@troupe/domain/Team"
import { Effect, Option, type Scope } from "effect"
import { Mail } from "../Wire/Mail.ts"

/**
 * Mails an invitation, if SMTP is set up. The result does not wait until the mail is sent, which is attempted once: the
 * invitation is valid without it.
 */
export const makeInvitationMails = (
  publicUrl: URL
): Effect.Effect<(invitation: Invitation) => Effect.Effect<void>, never, Mail | Scope.Scope> =>
  Effect.zipWith(Mail, Effect.scope, ({ send }, scope) => (invitation) =>
    send(mailOf(invitation, publicUrl)).pipe(
      Effect.catchAll(({ kind, message }) =>
        kind === "unconfigured"
          ? Effect.logDebug("SMTP is not set up; the invitation was not mailed")
          : Effect.logWarning(`Mailing invitation ${invitation.id} failed; it will not be sent again: ${message}`)
      ),
      Effect.forkIn(scope),
      Effect.asVoid
    ))

const mailOf = ({ email, id, name }: Invitation, { href }: URL) => {
  const sentences = [
    `You are invited to a team that works with Troupe at ${href}`,
    `Sign in there as ${email}. The invitation is for this address only.`
  ]
  return {
    id: `invitation-${id}`,
    to: [{ name: plainName(name ?? ""), address: email }],
    cc: [],
    subject: "Invitation to a team on Troupe",
    text: sentences.join("\n\n"),
    html: sentences.map((sentence) => `<p>${escaped(sentence)}</p>`).join("\n"),
    attachments: [],
    answers: Option.none()
  }
}

/** Nothing that could end a header line. */
const plainName = (name: string) => name.replace(/[\p{Cc}\p{Cf}"\\<>]/gu, " ").trim()

const escaped = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;")
