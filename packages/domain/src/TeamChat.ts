import { Schema } from "effect"
import { TaskId } from "./Ids.ts"

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

/** The key of a thread among the conversations of tasks; without a thread, the key of the direct message. */
export const chatThreadKey = ({ channel, thread_ts }: Pick<ChatReply, "channel" | "thread_ts">): string =>
  thread_ts === null ? channel : `${channel}/${thread_ts}`

/** A message for the chat platform, as the outbox has it. */
export const ChatPost = Schema.Struct({
  /** With the platform's markup, also where blocks are shown: notifications and searches use it. A long one is split. */
  text: Schema.String,
  /** Where the answer to a slash command goes; it is then no message of the channel. */
  response_url: Schema.optionalWith(Schema.String, { exact: true }),
  blocks: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true })
})
export type ChatPost = typeof ChatPost.Type

/** As the payload of a message has it. */
export const ChatPostJson = Schema.parseJson(ChatPost)

export const chatPostText: (post: ChatPost) => string = Schema.encodeSync(ChatPostJson)

/** The button under a reminder that ends its schedule; its value is the schedule's id. */
export const stopRemindersAction = "stop_reminders"

/** The button under a confirmed reminder whose later runs are to be tasks; its value is the schedule's id. */
export const makeTaskAction = "make_task"

/** The buttons under a question. An `action_id` is unique in its block, so a number follows: `answer_choice:0`. */
export const answerChoiceAction = "answer_choice"

/** The platform's maximum for the value of a button. */
export const maxActionValue = 2_000

/** The value of a button under a question. */
export const ChoiceValue = Schema.Struct({
  task_id: TaskId,
  /** The call that asked, so that an old button answers no later question; null: whatever the task asks. */
  call: Schema.NullOr(Schema.String),
  answer: Schema.String
})
export type ChoiceValue = typeof ChoiceValue.Type

export const ChoiceValueJson = Schema.parseJson(ChoiceValue)

export const choiceValueText: (value: ChoiceValue) => string = Schema.encodeSync(ChoiceValueJson)

/** The request was not signed by the chat platform, or not recently. */
export class SignatureInvalid extends Schema.TaggedError<SignatureInvalid>()("SignatureInvalid", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A request of the platform lacks a required field. */
export class ChatRequestInvalid extends Schema.TaggedError<ChatRequestInvalid>()("ChatRequestInvalid", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}
