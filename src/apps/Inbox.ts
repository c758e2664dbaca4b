import { Effect, Layer, Option } from "effect"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import { InboxMails } from "../Intake/Mail/InboxMails.ts"
import * as InboxMonitor from "../Intake/Mail/InboxMonitor.ts"
import { MailLedger } from "../Intake/Mail/MailLedger.ts"
import { MailPlans } from "../Intake/Mail/MailPlans.ts"
import { RecipientReplies } from "../Intake/Mail/RecipientReplies.ts"
import { Senders } from "../People/Senders.ts"
import { TeamRepo } from "../People/TeamRepo.ts"
import { UserRepo } from "../People/UserRepo.ts"
import type { Settings } from "../Runtime/Settings.ts"
import { TaskCommands } from "../Task/TaskCommands.ts"
import { TaskThreads } from "../Task/TaskThreads.ts"
import type { ImapSettings } from "../Wire/ImapClient.ts"

/** Loaded only where mail is read. */
const lazyImap = (settings: ImapSettings) =>
  Layer.unwrapEffect(Effect.promise(() => import("../Wire/ImapClient.ts").then(({ layer }) => layer(settings))))

const senders = ({ deploymentMode }: Settings["Type"]) =>
  deploymentMode === "hosted"
    ? Layer.provide(Senders.layerTeam, TeamRepo.layer)
    : Layer.provide(Senders.layer, UserRepo.layer)

const recipientReplies = RecipientReplies.layer.pipe(
  Layer.provide(Reminders.layer.pipe(Layer.provide(Outbox.layer))),
  Layer.provide([TaskCommands.layer, UserRepo.layer])
)

/** Reads the inbox, if one is configured. */
export const layer = (settings: Settings["Type"]) => {
  const { mail: { inbox, smtp } } = settings
  if (Option.isNone(inbox)) return Layer.empty
  const { check, imap, maxAge, maxPerHour, maxPerSender, maxUnknown, trustedAuthserv } = inbox.value
  const ownAddresses = [
    ...Option.match(smtp, { onNone: () => [], onSome: ({ from }) => [from.address] }),
    ...(imap.user.includes("@") ? [imap.user] : [])
  ].map((address) => address.toLowerCase())
  return InboxMonitor.layer({ interval: check, maxAge }).pipe(
    Layer.provide(InboxMails.layer({ ownAddresses, maxPerSender, maxUnknown, maxPerHour, trustedAuthserv })),
    Layer.provide([MailPlans.layer, recipientReplies]),
    Layer.provide([lazyImap(imap), MailLedger.layer, senders(settings), TaskThreads.layer])
  )
}
