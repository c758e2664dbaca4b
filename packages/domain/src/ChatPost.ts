import { Schema } from "effect"

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
