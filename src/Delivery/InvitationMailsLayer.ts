import type { Invitation } from "@troupe/domain/Team"
import { Effect, Layer, Option } from "effect"
import { InvitationMails } from "../People/Team.ts"
import { Mail } from "../Wire/Mail.ts"
import { mailPayloadText, plainName } from "./MailChannel.ts"
import { newOutboxId, Outbox } from "./Outbox.ts"

export const layer = (publicUrl: URL): Layer.Layer<InvitationMails, never, Mail | Outbox> =>
  Layer.effect(
    InvitationMails,
    Effect.map(Effect.all([Mail, Outbox]), ([{ sender }, { enqueue }]) =>
      InvitationMails.of({
        write: (invitation) =>
          Option.isNone(sender)
            ? Effect.logDebug("SMTP is not set up; the invitation was not mailed")
            : Effect.flatMap(newOutboxId, (id) =>
              enqueue([{
                id,
                channel: "email",
                recipient: invitation.email,
                kind: "invitation",
                userId: null,
                taskId: null,
                payload: mailPayloadText(mailOf(invitation, publicUrl))
              }]))
      }))
  )

const mailOf = ({ email, name }: Invitation, { href }: URL) => ({
  to: [{ name: plainName(name ?? ""), address: email }],
  cc: [],
  subject: "Invitation to a team on Troupe",
  body: `You are invited to a team that works with Troupe at <${href}>\n\n`
    + `Sign in there as ${email}. The invitation is for this address only.`,
  attachments: []
})
