import { Effect, Layer, Option } from "effect"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import * as InboxMonitor from "../Intake/Mail/InboxMonitor.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import { TaskThreads } from "../Task/Read/TaskThreads.ts"
import type { ImapSettings } from "../Wire/ImapClient.ts"
import * as People from "./People.ts"

/** Loaded only where mail is read. */
const lazyImap = (settings: ImapSettings) =>
  Layer.unwrapEffect(Effect.promise(() => import("../Wire/ImapClient.ts").then(({ layer }) => layer(settings))))

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
    Layer.provide([lazyImap(imap), People.senders(settings), Layer.provide(Reminders.layer, Outbox.layer)]),
    Layer.provide([TaskCommands.layer, TaskThreads.layer, UserRepo.layer])
  )
}
