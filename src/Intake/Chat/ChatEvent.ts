import { Either, Option, Schema } from "effect"
import type { ChatContent } from "../../Chat/ChatContent.ts"
import { contentOf } from "../../Chat/Slack/SlackMessage.ts"
import { InboundSource } from "../InboundMessage.ts"

export const chatSource = InboundSource.make("chat")

/** What a person wrote. */
export interface MessageEvent extends ChatContent {
  readonly _tag: "Message"
  /** The platform says itself that we are mentioned. */
  readonly isMention: boolean
  readonly isDirect: boolean
  readonly channel: string
  readonly user: string
  readonly ts: string
  /** Null: the message is in no thread. */
  readonly threadTs: string | null
}

export type ChatEvent =
  | MessageEvent
  | { readonly _tag: "MemberJoined" | "MemberLeft"; readonly channel: string; readonly user: string }
  | { readonly _tag: "WeLeft" | "ChannelClosed" | "ChannelChanged"; readonly channel: string }
  | { readonly _tag: "UserChanged"; readonly user: string }
  | ChatContent & {
    readonly _tag: "MessageChanged"
    readonly channel: string
    readonly ts: string
    readonly user: string | null
  }
  | { readonly _tag: "MessageDeleted"; readonly channel: string; readonly ts: string; readonly user: string | null }
  | { readonly _tag: "Ignored"; readonly reason: string }

export interface Envelope {
  readonly _tag: "Event"
  readonly type: string
  /** The platform's id of the event; the same in each of its deliveries. */
  readonly id: string | null
  readonly ourselves: ReadonlyArray<string>
  readonly event: ChatEvent
}

export type EventRequest =
  | Envelope
  | { readonly _tag: "Verification"; readonly challenge: string }
  | { readonly _tag: "Unreadable"; readonly reason: string }

const laxDecoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (value: unknown): A | null => Either.getOrNull(decode(value))
}

const optionalText = Schema.optional(Schema.NullOr(Schema.String))

const readRequest = laxDecoder(Schema.Struct({
  type: Schema.String,
  challenge: optionalText,
  event_id: optionalText,
  event: Schema.optional(Schema.Unknown),
  authorizations: Schema.optional(Schema.Unknown)
}))
const readAuthorizations = laxDecoder(Schema.Array(Schema.Struct({ user_id: optionalText })))
const readType = laxDecoder(Schema.Struct({ type: Schema.String }))
const readMessage = laxDecoder(Schema.Struct({
  channel: Schema.NonEmptyString,
  user: Schema.NonEmptyString,
  ts: Schema.NonEmptyString,
  thread_ts: optionalText,
  channel_type: optionalText,
  bot_id: optionalText
}))
const readSubtype = laxDecoder(Schema.Struct({ subtype: optionalText }))
const readEdit = laxDecoder(Schema.Struct({
  channel: Schema.NonEmptyString,
  message: Schema.Struct({ ts: Schema.NonEmptyString, subtype: optionalText, user: optionalText }).annotations({
    // For what it says.
    parseOptions: { onExcessProperty: "preserve" }
  }),
  previous_message: Schema.optional(Schema.Unknown)
}))
const readDeletion = laxDecoder(Schema.Struct({
  channel: Schema.NonEmptyString,
  deleted_ts: Schema.NonEmptyString,
  previous_message: Schema.optional(Schema.Unknown)
}))
const readAuthor = laxDecoder(Schema.Struct({ user: optionalText }))
const readMembership = laxDecoder(Schema.Struct({ channel: Schema.NonEmptyString, user: Schema.NonEmptyString }))
const readChannelId = laxDecoder(Schema.Struct({ channel: Schema.NonEmptyString }))
const readChannel = laxDecoder(Schema.Struct({ channel: Schema.Struct({ id: Schema.NonEmptyString }) }))
const readUser = laxDecoder(Schema.Struct({ user: Schema.Struct({ id: Schema.NonEmptyString }) }))

/** Reads a request to the address for events. Unknown types and fields are no error: the platform adds some at any time. */
export const eventRequestOf = (body: Uint8Array): EventRequest => {
  const json = Option.liftThrowable((text: string): unknown => JSON.parse(text))(Buffer.from(body).toString("utf8"))
  if (Option.isNone(json)) return { _tag: "Unreadable", reason: "the body is not JSON" }
  const found = readRequest(json.value)
  if (found === null) return { _tag: "Unreadable", reason: "the body has no type" }
  if (found.type === "url_verification") return { _tag: "Verification", challenge: found.challenge ?? "" }
  const type = readType(found.event)?.type ?? found.type
  return {
    _tag: "Event",
    type,
    id: found.event_id ?? null,
    ourselves: (readAuthorizations(found.authorizations) ?? []).flatMap(({ user_id }) => user_id ?? []),
    event: found.type === "event_callback" ? eventOf(type, found.event) : ignored(`requests of the type ${type}`)
  }
}

const ignored = (what: string): ChatEvent => ({ _tag: "Ignored", reason: what })

const channelEvents: ReadonlyMap<string, "ChannelChanged" | "ChannelClosed" | "WeLeft"> = new Map([
  ["channel_archive", "ChannelClosed"],
  ["channel_deleted", "ChannelClosed"],
  ["channel_left", "WeLeft"],
  ["channel_rename", "ChannelChanged"],
  ["channel_unarchive", "ChannelChanged"],
  ["group_archive", "ChannelClosed"],
  ["group_deleted", "ChannelClosed"],
  ["group_left", "WeLeft"],
  ["group_rename", "ChannelChanged"],
  ["group_unarchive", "ChannelChanged"]
])

const eventOf = (type: string, event: unknown): ChatEvent => {
  const incomplete = ignored(`an event ${type} without the fields of one`)
  switch (type) {
    case "message":
    case "app_mention":
      return messageOf(type, event) ?? incomplete
    case "member_joined_channel":
    case "member_left_channel": {
      const found = readMembership(event)
      if (found === null) return incomplete
      return { _tag: type === "member_joined_channel" ? "MemberJoined" : "MemberLeft", ...found }
    }
    case "team_join":
    case "user_change": {
      const found = readUser(event)
      return found === null ? incomplete : { _tag: "UserChanged", user: found.user.id }
    }
  }
  const _tag = channelEvents.get(type)
  if (_tag === undefined) return ignored(`events of the type ${type}`)
  const channel = readChannelId(event)?.channel ?? readChannel(event)?.channel.id
  return channel === undefined ? incomplete : { _tag, channel }
}

/** What a channel is about has changed: the platform has no other event for it. */
const aboutSubtypes: ReadonlyArray<string | null> = ["channel_purpose", "channel_topic", "group_purpose", "group_topic"]

/** Other subtypes are about the channel's people, or from bots. */
const personalSubtypes: ReadonlyArray<string | null> = [
  null,
  "file_share",
  "me_message",
  "message_share",
  "reply_broadcast",
  "thread_broadcast"
]

/** The platform's own assistant writes to every new member. */
const platformBot = "USLACKBOT"

const messageOf = (type: string, event: unknown): ChatEvent | null => {
  const subtype = readSubtype(event)?.subtype ?? null
  if (subtype === "message_changed") {
    const edit = readEdit(event)
    if (edit === null) return null
    const { channel, message, previous_message } = edit
    const { subtype: inner, ts, user } = message
    // What is left of the deleted first message of a thread.
    return inner === "tombstone"
      ? { _tag: "MessageDeleted", channel, ts, user: readAuthor(previous_message)?.user ?? null }
      : { _tag: "MessageChanged", channel, ts, user: user ?? null, ...contentOf(message) }
  }
  if (subtype === "message_deleted") {
    const deletion = readDeletion(event)
    if (deletion === null) return null
    const { channel, deleted_ts: ts, previous_message } = deletion
    return { _tag: "MessageDeleted", channel, ts, user: readAuthor(previous_message)?.user ?? null }
  }
  if (aboutSubtypes.includes(subtype)) {
    const changed = readChannelId(event)
    return changed === null ? null : { _tag: "ChannelChanged", channel: changed.channel }
  }
  if (!personalSubtypes.includes(subtype)) return ignored(`messages of the subtype ${subtype}`)
  const found = readMessage(event)
  if (found === null) return null
  if (isPresent(found.bot_id) || found.user === platformBot) return ignored("messages of bots")
  return {
    _tag: "Message",
    isMention: type === "app_mention",
    isDirect: isDirect(found),
    channel: found.channel,
    user: found.user,
    ts: found.ts,
    threadTs: isPresent(found.thread_ts) ? found.thread_ts : null,
    ...contentOf(event)
  }
}

/** Also what is written to the app on its own page. */
const isDirect = (
  { channel, channel_type: type }: { readonly channel: string; readonly channel_type?: string | null | undefined }
) => type === "im" || type === "app_home" || (!isPresent(type) && channel.startsWith("D"))

const isPresent = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text !== ""

/** Data subject (for erasure), or null. */
export const senderOf = (event: ChatEvent): string | null => "user" in event ? event.user : null

/** Events with the same key act in the order of their arrival. */
export const orderingKeyOf = (event: ChatEvent): string | null => {
  switch (event._tag) {
    case "Message":
      return event.isDirect ? event.channel : `${event.channel}/${event.threadTs ?? event.ts}`
    case "Ignored":
      return null
    case "UserChanged":
      return event.user
    case "MessageChanged":
    case "MessageDeleted":
      return `${event.channel}/${event.ts}`
    default:
      return event.channel
  }
}
