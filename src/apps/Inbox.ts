import { Layer, Option, type Stream } from "effect"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import * as InboxMonitor from "../Intake/Mail/InboxMonitor.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import { TaskThreads } from "../Task/Read/TaskThreads.ts"
import { latest } from "./Latest.ts"
import * as MailServers from "./MailServers.ts"
import * as People from "./People.ts"

/** Reads the inbox of the settings at the time; rests while there is none. */
export const layer = (settings: Settings["Type"], changes: Stream.Stream<unknown>) => {
  const mail = () => settings.stored.current().mail
  let last = Option.getOrThrow(mail().inbox)
  // A mail that is being read when the inbox is removed is read to its end.
  const inbox = () => last = Option.getOrElse(mail().inbox, () => last)
  return InboxMonitor.layer(latest(settings.stored, ({ mail: { checkInterval, smtp } }) => {
    const { imap: { user }, ...reading } = inbox()
    return {
      ...reading,
      interval: checkInterval,
      console: settings.http.console,
      changes,
      isOn: () => Option.isSome(mail().inbox),
      ownAddresses: [...Option.toArray(smtp).map(({ from }) => from.address), ...(user.includes("@") ? [user] : [])]
        .map((address) => address.toLowerCase())
    }
  })).pipe(
    Layer.provide([
      MailServers.mailbox(() => Option.some(inbox().imap)),
      People.senders(settings),
      Layer.provideMerge(Reminders.layer, Outbox.layer)
    ]),
    Layer.provide([TaskCommands.layer, TaskThreads.layer, UserRepo.layer])
  )
}
