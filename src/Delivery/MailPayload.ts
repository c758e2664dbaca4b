import { Schema } from "effect"

const Address = Schema.Struct({ name: Schema.String, address: Schema.String })

/** What the outbox keeps of a mail that is no notification. The body is markdown. */
export const MailPayload = Schema.parseJson(Schema.Struct({
  to: Schema.Array(Address),
  cc: Schema.Array(Address),
  subject: Schema.String,
  body: Schema.String,
  attachments: Schema.Array(Schema.Struct({ filename: Schema.String, digest: Schema.String }))
}))
export type MailPayload = typeof MailPayload.Type

export const mailPayloadText: (payload: MailPayload) => string = Schema.encodeSync(MailPayload)
