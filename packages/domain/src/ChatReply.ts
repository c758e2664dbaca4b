import { Schema } from "effect"

/** Where the messages of a task go on the chat platform: a channel or direct message, and in it a thread. */
export const ChatReply = Schema.Struct({
  /** The platform's id of the channel, or of the direct message. */
  channel: Schema.String,
  /** The first message of the thread; null: no thread. */
  thread_ts: Schema.NullOr(Schema.String),
  /** The platform's id of the user who is mentioned. */
  user: Schema.NullOr(Schema.String)
})
export type ChatReply = typeof ChatReply.Type

/** By the platform's id; the user needs no mention there. */
export const isDirectMessage = (channel: string): boolean => channel.startsWith("D")

/** As a task's `reply_to` has it. */
export const ChatReplyJson = Schema.parseJson(ChatReply)

export const chatReplyText: (reply: ChatReply) => string = Schema.encodeSync(ChatReplyJson)

/** The key of a thread among the conversations of tasks; without a thread it is that of the direct message. */
export const chatThreadKey = ({ channel, thread_ts }: Pick<ChatReply, "channel" | "thread_ts">): string =>
  thread_ts === null ? channel : `${channel}/${thread_ts}`
