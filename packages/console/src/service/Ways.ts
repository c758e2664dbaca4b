import type { OutboxMessage, User } from "@troupe/client"

type Channel = OutboxMessage["channel"]
type NotifyWay = User["notify_by"][number]

/** The ways by which messages leave, as people call them. */
export const channelNames: Readonly<Record<Channel, string>> = { chat: "Chat", email: "Mail", webhook: "Webhook" }

/** By which a person may want to be notified. */
const notifyWayNames: Readonly<Record<NotifyWay, string>> = {
  chat: "Team chat",
  email: "Mail",
  ui: "This console only"
}

const keysOf = <Key extends string>(names: Readonly<Record<Key, string>>): ReadonlyArray<Key> =>
  Object.keys(names).filter((name): name is Key => Object.hasOwn(names, name))

export const channels = keysOf(channelNames)

export const channelOf = (name: unknown): Channel | undefined => channels.find((channel) => channel === name)

export const notifyWays = keysOf(notifyWayNames).map((way) => [way, notifyWayNames[way]] as const)
