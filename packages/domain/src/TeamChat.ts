import { Schema } from "effect"
import { TaskId } from "./Ids.ts"

const Halves = Schema.Struct({
  /** The platform's id of the channel, or of the direct message. */
  channel: Schema.String,
  thread_ts: Schema.NullOr(Schema.String),
  user: Schema.NullOr(Schema.String)
})

/** The key of a thread by its conversation's; without a thread, that of the conversation. */
export const threadKey = (channel: string, thread: string | null): string =>
  thread === null ? channel : `${channel}/${thread}`

/** As rows have a key: its conversation, and what follows. */
export const threadHalves = (key: string): { readonly channel: string; readonly thread: string | null } => {
  const at = key.indexOf("/")
  return at < 0 ? { channel: key, thread: null } : { channel: key.slice(0, at), thread: key.slice(at + 1) }
}

/** Where the messages of a task go on the chat platform. It is stored with the key in two halves. */
export const ChatReply = Schema.transform(
  Halves,
  Schema.Struct({
    /** The key of the thread or conversation; the platform's adapter alone knows what is in it. */
    thread: Schema.String,
    /** The platform's id of the user who is mentioned. */
    user: Schema.NullOr(Schema.String)
  }),
  {
    strict: true,
    decode: ({ channel, thread_ts, user }) => ({ thread: threadKey(channel, thread_ts), user }),
    encode: ({ thread: key, user }) => {
      const { channel, thread } = threadHalves(key)
      return { channel, thread_ts: thread, user }
    }
  }
)
export type ChatReply = typeof ChatReply.Type

/** As a task's `reply_to` has it. */
export const ChatReplyJson = Schema.parseJson(ChatReply)

export const chatReplyText: (reply: ChatReply) => string = Schema.encodeSync(ChatReplyJson)

/** A message in the form of its platform, as the outbox has it. */
export const ChatPost = Schema.Struct({
  /** Also where the rest is shown: notifications and searches use it. */
  text: Schema.String,
  /** Where the answer to a command goes; it is then no message of the channel. */
  answerTo: Schema.optionalWith(Schema.String, { exact: true }).pipe(Schema.fromKey("response_url")),
  /** Buttons and layout. */
  controls: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true }).pipe(Schema.fromKey("blocks"))
})
export type ChatPost = typeof ChatPost.Type

/** As the payload of a message has it. */
export const ChatPostJson = Schema.parseJson(ChatPost)

export const chatPostText: (post: ChatPost) => string = Schema.encodeSync(ChatPostJson)

/** The button under a reminder that ends its schedule; its value is the schedule's id. */
export const stopRemindersAction = "stop_reminders"

/** The button under a confirmed reminder whose later runs are to be tasks; its value is the schedule's id. */
export const makeTaskAction = "make_task"

/** The buttons under a question. */
export const answerChoiceAction = "answer_choice"

/** The platform's maximum for the value of a button. */
export const maxActionValue = 2_000

/** The value of a button under a question. */
export const ChoiceValue = Schema.Struct({
  task_id: TaskId,
  /** The call that asked, so that an old button answers no later question; null: whatever the task asks. */
  call: Schema.NullOr(Schema.String),
  answer: Schema.String,
  /** The first approval that it is about, so that an old button decides about no call that was asked anew. */
  approval: Schema.optionalWith(Schema.String, { exact: true })
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
