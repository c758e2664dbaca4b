import type { InvitationLetter } from "@troupe/domain/Team"
import { Effect, Layer, Option } from "effect"
import { invitationAddress, inviterOf, teamOf } from "../People/SignIn/InvitationPage.ts"
import { InvitationMails } from "../People/Team/Team.ts"
import { consoleAddress } from "../Runtime/PublicAddress.ts"
import { Mail } from "../Wire/Mail.ts"
import { mailPayloadText, plainName } from "./MailChannel.ts"
import { newOutboxId, Outbox } from "./Outbox.ts"

export const layer = (publicUrl: URL): Layer.Layer<InvitationMails, never, Mail | Outbox> =>
  Layer.effect(
    InvitationMails,
    Effect.map(Effect.all([Mail, Outbox]), ([mail, { enqueue }]) =>
      InvitationMails.of({
        write: (letter) =>
          Option.isNone(mail.sender)
            ? Effect.logDebug("SMTP is not set up; the invitation was not mailed")
            : Effect.flatMap(newOutboxId, (id) =>
              enqueue([{
                id,
                channel: "email",
                recipient: letter.email,
                kind: "invitation",
                user_id: null,
                task_id: null,
                payload: mailPayloadText(mailOf(letter, publicUrl))
              }]))
      }))
  )

const mailOf = (letter: InvitationLetter, publicUrl: URL) => ({
  to: [{ name: plainName(letter.name ?? ""), address: letter.email }],
  cc: [],
  subject: `${plainName(inviterOf(letter))} invites you to a team on Troupe`,
  body: `${inviterOf(letter)} invites you to ${teamOf(letter)} on Troupe at <${consoleAddress(publicUrl).href}>.

`
    + `Accept the invitation: <${invitationAddress(publicUrl, letter.id)}>

`
    + `The invitation is for ${letter.email} only. If you do not know the sender, ignore this mail.`,
  attachments: []
})
