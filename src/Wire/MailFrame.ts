import { Effect, type ParseResult, Schema } from "effect"
import { type Frame, frameOf, frameParts } from "../Runtime/Frame.ts"
import { MailUnreadable, type ParsedMail } from "./MailParser.ts"

const MailAddress = Schema.Struct({ name: Schema.String, address: Schema.String })

/** The payload holds the contents of the attachments, one after the other. */
const MailReply = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Mail"),
    headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
    from: Schema.Option(MailAddress),
    to: Schema.Array(MailAddress),
    cc: Schema.Array(MailAddress),
    subject: Schema.String,
    messageId: Schema.NullOr(Schema.String),
    references: Schema.Array(Schema.String),
    date: Schema.NullOr(Schema.String),
    text: Schema.String,
    enclosed: Schema.String,
    attachments: Schema.Array(Schema.Struct({
      filename: Schema.NullOr(Schema.String),
      contentType: Schema.String,
      bytes: Schema.NonNegativeInt
    }))
  }),
  Schema.Struct({ _tag: Schema.Literal("Unreadable"), reason: Schema.String })
)
type MailReply = typeof MailReply.Type

const encode = Schema.encodeSync(MailReply)
const replyFrame = frameOf(MailReply)

const sent = (header: MailReply, payload: Uint8Array): Buffer =>
  Buffer.concat(frameParts({ header: encode(header), payload }))

export const mailReply = ({ attachments, ...mail }: ParsedMail): Buffer =>
  sent(
    {
      ...mail,
      _tag: "Mail",
      attachments: attachments.map(({ content, contentType, filename }) => ({
        filename,
        contentType,
        bytes: content.length
      }))
    },
    Buffer.concat(attachments.map(({ content }) => content))
  )

export const unreadableReply = (reason: string): Buffer => sent({ _tag: "Unreadable", reason }, new Uint8Array())

export const mailOfReply = (
  bytes: Uint8Array
): Effect.Effect<ParsedMail, MailUnreadable | ParseResult.ParseError> =>
  Effect.flatMap(replyFrame(bytes), ({ header, payload }: Frame<MailReply>) => {
    if (header._tag === "Unreadable") return new MailUnreadable({ reason: header.reason })
    const { _tag, attachments, ...mail } = header
    let end = 0
    return Effect.succeed({
      ...mail,
      attachments: attachments.map(({ bytes, ...attachment }) => ({
        ...attachment,
        content: payload.subarray(end, end += bytes)
      }))
    })
  })
