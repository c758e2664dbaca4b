import { threadKey } from "@troupe/domain/TeamChat"
import { Option } from "effect"
import { createHash } from "node:crypto"
import type { ChatEvent, Incoming } from "../ChatEvent.ts"
import { type Fields, fieldsIn, firstText, listIn, textIn } from "./SlackFields.ts"
import { contentOf } from "./SlackMessage.ts"
import { platformBot } from "./SlackResponses.ts"

/** Reads a request to the address for events. Unknown types and fields are no error: the platform adds some at any time. */
export const eventRequestOf = (body: Uint8Array): Incoming => {
  const json = Option.liftThrowable((text: string): unknown => JSON.parse(text))(Buffer.from(body).toString("utf8"))
  if (Option.isNone(json)) return { _tag: "Unreadable", reason: "the body is not JSON" }
  const request = fieldsIn(json.value)
  const ofRequest = firstText(request, "type")
  if (ofRequest === null) return { _tag: "Unreadable", reason: "the body has no type" }
  if (ofRequest === "url_verification") return { _tag: "Verification", challenge: textIn(request["challenge"]) }
  const fields = fieldsIn(request["event"])
  const type = firstText(fields, "type") ?? ofRequest
  const event = ofRequest === "event_callback" ? eventOf(type, fields) : `requests of the type ${type}`
  return typeof event === "string" ? { _tag: "Ignored", reason: event } : {
    _tag: "Event",
    type,
    id: firstText(request, "event_id") ?? createHash("sha256").update(body).digest("hex"),
    ourselves: listIn(request["authorizations"]).flatMap((one) => firstText(one, "user_id") ?? []),
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
const eventOf = (type: string, event: Fields): ChatEvent | string => {
  const channel = firstText(event, "channel") ?? firstText(fieldsIn(event["channel"]), "id")
  const user = firstText(event, "user") ?? firstText(fieldsIn(event["user"]), "id")
  const incomplete = `an event ${type} without the fields of one`
  switch (type) {
    case "message":
    case "app_mention":
      return channel === null ? incomplete : messageOf(type, event, channel, user) ?? incomplete
    case "member_joined_channel":
    case "member_left_channel":
      if (channel === null || user === null) return incomplete
      return { _tag: type === "member_joined_channel" ? "MemberJoined" : "MemberLeft", channel, user }
    case "team_join":
    case "user_change":
      return user === null ? incomplete : { _tag: "UserChanged", user }
  }
  const _tag = channelEvents.get(type)
  if (_tag === undefined) return `events of the type ${type}`
  return channel === null ? incomplete : { _tag, channel }
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

const messageOf = (type: string, event: Fields, channel: string, user: string | null): ChatEvent | string | null => {
  const subtype = firstText(event, "subtype")
  const deleted = (id: string | null): ChatEvent | null =>
    id === null
      ? null
      : { _tag: "MessageDeleted", channel, id, user: firstText(fieldsIn(event["previous_message"]), "user") }
  if (subtype === "message_deleted") return deleted(firstText(event, "deleted_ts"))
  if (subtype === "message_changed") {
    const message = fieldsIn(event["message"])
    const id = firstText(message, "ts")
    // What is left of the deleted first message of a thread.
    if (message["subtype"] === "tombstone") return deleted(id)
    return id === null
      ? null
      : { _tag: "MessageChanged", channel, id, user: firstText(message, "user"), ...contentOf(message) }
  }
  if (aboutSubtypes.includes(subtype)) return { _tag: "ChannelChanged", channel }
  if (!personalSubtypes.includes(subtype)) return `messages of the subtype ${subtype}`
  const id = textIn(event["ts"])
  if (user === null || !/^\d{1,12}(?:\.\d+)?$/.test(id)) return null
  if (firstText(event, "bot_id") !== null || user === platformBot) return "messages of bots"
  const ofThread = firstText(event, "thread_ts")
  return {
    _tag: "Message",
    isMention: type === "app_mention",
    isDirect: isDirect(channel, firstText(event, "channel_type")),
    channel,
    user,
    id,
    at: Number(id),
    thread: ofThread === null ? null : threadKey(channel, ofThread),
    replyTo: threadKey(channel, ofThread ?? id),
    ...contentOf(event)
  }
}

/** Also what is written to the app on its own page. */
const isDirect = (channel: string, type: string | null): boolean =>
  type === "im" || type === "app_home" || (type === null && isDirectId(channel))

/** By the first letter of the id. */
export const isDirectId = (channel: string): boolean => channel.startsWith("D")
