import { Schema } from "effect"

/** Where the mails of a task go: to whom, and which mail they answer. */
export const MailReply = Schema.Struct({
  address: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** As the mail had it, with or without `Re:`. */
  subject: Schema.String,
  /** Of the mail that is answered, with angle brackets; null if it had none. */
  messageId: Schema.NullOr(Schema.String),
  /** The earlier mails of the thread, the oldest first, with angle brackets. */
  references: Schema.Array(Schema.String)
})
export type MailReply = typeof MailReply.Type

export const MailReplyJson = Schema.parseJson(MailReply)

export const mailReplyText: (reply: MailReply) => string = Schema.encodeSync(MailReplyJson)
