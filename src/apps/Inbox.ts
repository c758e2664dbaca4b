import { Layer, Option } from "effect"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import * as InboxMonitor from "../Intake/Mail/InboxMonitor.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import { TaskThreads } from "../Task/Read/TaskThreads.ts"
import * as MailServers from "./MailServers.ts"
import * as People from "./People.ts"

/** Reads the inbox, if one is configured. */
export const layer = (settings: Settings["Type"]) => {
  const { mail: { inbox, smtp } } = settings
  if (Option.isNone(inbox)) return Layer.empty
  const { check, imap, ...rules } = inbox.value
  const ownAddresses = [
    ...Option.match(smtp, { onNone: () => [], onSome: ({ from }) => [from.address] }),
    ...(imap.user.includes("@") ? [imap.user] : [])
  ].map((address) => address.toLowerCase())
  return InboxMonitor.layer({ interval: check, ownAddresses, ...rules }).pipe(
    Layer.provide([
      MailServers.imap(Option.some(imap)),
      People.senders(settings),
      Layer.provide(Reminders.layer, Outbox.layer)
    ]),
    Layer.provide([TaskCommands.layer, TaskThreads.layer, UserRepo.layer])
  )
}
