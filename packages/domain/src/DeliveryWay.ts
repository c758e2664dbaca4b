/** A way by which messages leave the service. */
interface DeliveryWay {
  readonly title: string
  /** As people choose it for their notifications; the title if left out. */
  readonly choice?: string
  /**
   * Digits that replace those of a notification's id from the 20th on: the id of its message on this way. Of one digit,
   * `8` are events, `9` chat, `a` mails and `b` answers in chat; gateways take `b1`, `b2`, ...
   */
  readonly mark: string | null
  /** Who is notified at the place that a task came from by this way: all its people, or its creator. Null: none comes. */
  readonly replies?: "all" | "creator" | null
}

/**
 * A service at an address of its own that takes notifications for people, such as a pager. Its name gives the names of its settings,
 * `PAGER_URL` and `PAGER_TOKEN`, and of the field `pager` of a user, which has the user's address at the service (`users.addresses`).
 */
export interface Gateway extends DeliveryWay {
  readonly mark: string
  /** What it knows a user by, as the profile calls it. */
  readonly addressTitle: string
  readonly addressDescription: string
}

/** The other fields of a user. */
export type UserField =
  | "avatar_url"
  | "chat_user_id"
  | "created_at"
  | "display_name"
  | "email"
  | "id"
  | "is_system"
  | "name"
  | "notify_by"
  | "overrides"
  | "responsibilities"
  | "role"
  | "timezone"
  | "title"
  | "updated_at"

/** What no gateway may be called: a field of users, or a way that is no gateway. */
type TakenName = OwnName | UserField | "ui"

const gateways = {} as const satisfies
  & Readonly<Record<string, Gateway>>
  & { readonly [Name in TakenName]?: never }

interface OwnWay extends DeliveryWay {
  /** The field of users with the address for their notifications; null: none leave by this way. */
  readonly address: "chat_user_id" | "email" | null
  /** The part of the health report that counts its messages; null: its receivers report them. */
  readonly health: "chat" | "mail" | null
}

const own = {
  chat: { title: "Chat", choice: "Team chat", address: "chat_user_id", mark: "9", replies: "all", health: "chat" },
  email: { title: "Mail", address: "email", mark: "a", replies: "creator", health: "mail" },
  webhook: { title: "Webhook", address: null, mark: null, replies: null, health: null }
} as const satisfies Readonly<Record<string, OwnWay>>

export type GatewayName = keyof typeof gateways
type OwnName = keyof typeof own
export type WayName = GatewayName | OwnName

type With<Attribute extends keyof OwnWay & keyof (typeof own)[OwnName]> = {
  readonly [Name in OwnName]: (typeof own)[Name][Attribute] extends null ? never : Name
}[OwnName]

/** By which users are notified. */
export type NotifyWay = GatewayName | With<"address">

/** From which tasks come, and their results go back. */
export type ReplyWay = With<"replies">

/** Fields of users with their addresses. */
export type AddressField = GatewayName | "chat_user_id" | "email"

export const deliveryWays: Readonly<Record<WayName, DeliveryWay>> = { ...own, ...gateways }

export const deliveryGateways: Readonly<Record<GatewayName, Gateway>> = gateways

export const isGateway = (name: string): name is GatewayName => Object.hasOwn(gateways, name)

const isWay = (name: string): name is WayName => Object.hasOwn(deliveryWays, name)

const addressOf = (way: WayName): AddressField | null => isGateway(way) ? way : own[way].address

const isNotifyWay = (way: WayName): way is NotifyWay => addressOf(way) !== null
const isReplyWay = (way: WayName): way is ReplyWay => (deliveryWays[way].replies ?? null) !== null

export const deliveryChannels: ReadonlyArray<WayName> = Object.keys(deliveryWays).filter(isWay)
export const gatewayNames: ReadonlyArray<GatewayName> = Object.keys(gateways).filter(isGateway)
export const replyWays: ReadonlyArray<ReplyWay> = deliveryChannels.filter(isReplyWay)

/** The ways of `notify_by`, each with the field of users that it needs. */
export const notifyAddresses: ReadonlyArray<readonly [way: NotifyWay, field: AddressField]> = deliveryChannels
  .filter(isNotifyWay)
  .flatMap((way) => {
    const field = addressOf(way)
    return field === null ? [] : [[way, field]]
  })

export const notifyWays: ReadonlyArray<NotifyWay> = notifyAddresses.map(([way]) => way)

/** The part of the health report that counts the messages of the channel; null: none does. */
export const healthPartOf = (channel: WayName): "chat" | "mail" | "workers" | null =>
  isGateway(channel) ? "workers" : own[channel].health

const byName: Readonly<Record<string, Gateway>> = gateways

/** As the profile calls what a gateway knows a user by. */
export const addressTitleOf = (gateway: GatewayName): string => byName[gateway]?.addressTitle ?? gateway
