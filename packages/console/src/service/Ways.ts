import type { OutboxMessage, User } from "@troupe/client"
import { deliveryChannels, deliveryWays, notifyWays as ways } from "@troupe/client/DeliveryWay"

type Channel = OutboxMessage["channel"]
type NotifyWay = User["notify_by"][number]

export const channels: ReadonlyArray<Channel> = deliveryChannels

export const channelName = (channel: Channel): string => deliveryWays[channel].title

export const channelOf = (name: unknown): Channel | undefined => channels.find((channel) => channel === name)

/** By which a person may want to be notified, with its name. */
export const notifyWays: ReadonlyArray<readonly [way: NotifyWay, name: string]> = [
  ...ways.map((way) => [way, deliveryWays[way].choice ?? deliveryWays[way].title] as const),
  ["ui", "This console only"]
]
