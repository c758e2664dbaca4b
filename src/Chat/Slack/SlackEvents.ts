import { threadKey } from "@troupe/domain/TeamChat"
import { Either, Option, Schema } from "effect"
import type { ChatEvent, Incoming } from "../ChatEvent.ts"
import { contentOf } from "./SlackMessage.ts"
import { platformBot } from "./SlackResponses.ts"

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
  ts: Schema.String.pipe(Schema.pattern(/^\d{1,12}(?:\.\d+)?$/)),
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
export const eventRequestOf = (body: Uint8Array): Incoming => {
  const json = Option.liftThrowable((text: string): unknown => JSON.parse(text))(Buffer.from(body).toString("utf8"))
  if (Option.isNone(json)) return { _tag: "Unreadable", reason: "the body is not JSON" }
  const found = readRequest(json.value)
  if (found === null) return { _tag: "Unreadable", reason: "the body has no type" }
  if (found.type === "url_verification") return { _tag: "Verification", challenge: found.challenge ?? "" }
  const type = readType(found.event)?.type ?? found.type
  const event = found.type === "event_callback" ? eventOf(type, found.event) : `requests of the type ${type}`
  return typeof event === "string" ? { _tag: "Ignored", reason: event } : {
    _tag: "Event",
    type,
    id: found.event_id ?? null,
    ourselves: (readAuthorizations(found.authorizations) ?? []).flatMap(({ user_id }) => user_id ?? []),
    event
  }
}

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

/** What happened, or what is ignored. */
const eventOf = (type: string, event: unknown): ChatEvent | string => {
  const incomplete = `an event ${type} without the fields of one`
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
  if (_tag === undefined) return `events of the type ${type}`
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

const messageOf = (type: string, event: unknown): ChatEvent | string | null => {
  const subtype = readSubtype(event)?.subtype ?? null
  if (subtype === "message_changed") {
    const edit = readEdit(event)
    if (edit === null) return null
    const { channel, message, previous_message } = edit
    const { subtype: inner, ts: id, user } = message
    // What is left of the deleted first message of a thread.
    return inner === "tombstone"
      ? { _tag: "MessageDeleted", channel, id, user: readAuthor(previous_message)?.user ?? null }
      : { _tag: "MessageChanged", channel, id, user: user ?? null, ...contentOf(message) }
  }
  if (subtype === "message_deleted") {
    const deletion = readDeletion(event)
    if (deletion === null) return null
    const { channel, deleted_ts: id, previous_message } = deletion
    return { _tag: "MessageDeleted", channel, id, user: readAuthor(previous_message)?.user ?? null }
  }
  if (aboutSubtypes.includes(subtype)) {
    const changed = readChannelId(event)
    return changed === null ? null : { _tag: "ChannelChanged", channel: changed.channel }
  }
  if (!personalSubtypes.includes(subtype)) return `messages of the subtype ${subtype}`
  const found = readMessage(event)
  if (found === null) return null
  if (isPresent(found.bot_id) || found.user === platformBot) return "messages of bots"
  const { channel, thread_ts, ts: id, user } = found
  const thread = isPresent(thread_ts) ? threadKey(channel, thread_ts) : null
  return {
    _tag: "Message",
    isMention: type === "app_mention",
    isDirect: isDirect(found),
    channel,
    user,
    id,
    at: Number(id),
    thread,
    replyTo: thread ?? threadKey(channel, id),
    ...contentOf(event)
  }
}

/** Also what is written to the app on its own page. */
const isDirect = (
  { channel, channel_type: type }: { readonly channel: string; readonly channel_type?: string | null | undefined }
) => type === "im" || type === "app_home" || (!isPresent(type) && isDirectId(channel))

const isPresent = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text !== ""

/** By the first letter of the id. */
export const isDirectId = (channel: string): boolean => channel.startsWith("D")
