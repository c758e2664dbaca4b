/** A way by which messages leave the service. */
interface DeliveryWay {
  /** The field of users with the address for their notifications; null: none leave by this way. */
  readonly address: "chat_user_id" | "email" | null
  /**
   * Digits that replace those of a notification's id from the 20th on: the id of its message on this way. Of one digit,
   * `8` are events, `9` chat, `a` mails and `b` answers in chat; further ways take `b1`, `b2`, ...
   */
  readonly mark: string | null
  /** Who is notified at the place that a task came from by this way: all its people, or its creator. Null: none comes. */
  readonly replies: "all" | "creator" | null
}

const ways = {
  chat: { address: "chat_user_id", mark: "9", replies: "all" },
  email: { address: "email", mark: "a", replies: "creator" },
  webhook: { address: null, mark: null, replies: null }
} as const satisfies Readonly<Record<string, DeliveryWay>>

export type WayName = keyof typeof ways

type With<Attribute extends keyof DeliveryWay> = {
  readonly [Name in WayName]: (typeof ways)[Name][Attribute] extends null ? never : Name
}[WayName]

/** By which users are notified. */
export type NotifyWay = With<"address">

/** From which tasks come, and their results go back. */
export type ReplyWay = With<"replies">

export const deliveryWays: Readonly<Record<WayName, DeliveryWay>> = ways

const isWay = (name: string): name is WayName => Object.hasOwn(ways, name)
const isNotifyWay = (name: WayName): name is NotifyWay => deliveryWays[name].address !== null
const isReplyWay = (name: WayName): name is ReplyWay => deliveryWays[name].replies !== null

export const deliveryChannels: ReadonlyArray<WayName> = Object.keys(ways).filter(isWay)
export const notifyWays: ReadonlyArray<NotifyWay> = deliveryChannels.filter(isNotifyWay)
export const replyWays: ReadonlyArray<ReplyWay> = deliveryChannels.filter(isReplyWay)
