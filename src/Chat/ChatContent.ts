import { Schema } from "effect"
import { ChatText } from "./ChatText.ts"

const text = Schema.NullOr(Schema.String)

/** A file of a message, as far as the platform describes it. */
export const ChatFile = Schema.Struct({
  /** The platform's; empty: it has none. */
  id: Schema.String,
  name: text,
  contentType: text,
  size: Schema.NullOr(Schema.Number),
  downloadUrl: text,
  /** Why it can't be downloaded, for people; null: nothing is known against it. */
  unavailable: text
})
export type ChatFile = typeof ChatFile.Type

/** What a message shows beside the words of its author: data, whoever wrote it. */
export const QuotedMessage = Schema.Struct({
  /** `linked`: the author wrote a link to it, and the platform shows it. `attached`: it is no message of a person. */
  kind: Schema.Literal("attached", "forwarded", "linked"),
  author: Schema.Struct({ id: text, name: text }),
  channel: Schema.Struct({ id: text, name: text }),
  /** In seconds since 1970. */
  at: Schema.NullOr(Schema.Number),
  url: text,
  /** Empty: the platform does not show it. */
  text: ChatText,
  files: Schema.Array(ChatFile)
})
export type QuotedMessage = typeof QuotedMessage.Type

/** What a message says. */
export const ChatContent = Schema.Struct({
  /** The author's own words. */
  text: ChatText,
  quoted: Schema.Array(QuotedMessage),
  files: Schema.Array(ChatFile)
})
export type ChatContent = typeof ChatContent.Type
