import { Effect, type ParseResult, Schema } from "effect"
import { type Frame, frameOf, frameParts } from "../Runtime/Process/Frame.ts"
import { type GuardedProcessFailed, runGuarded } from "../Runtime/Process/GuardedProcess.ts"
import { MailContent, MailUnreadable, type ParsedMail, parseMail } from "./MailParser.ts"

/**
 * The parser's time grows with the square of some contents: this much takes a fraction of a second, 64 KiB of blank
 * lines a whole one, and 1 MB up to a minute.
 */
const maxBytesHere = 64 * 1_024
const maxLinesHere = 4_000

const maxReplyBytes = 64 * 1_024 * 1_024

interface Limits {
  readonly memoryMegabytes: number
  readonly seconds: number
}

/** As `parseMail`; a large mail in a separate process. `GuardedProcessFailed`: none could be started, or it stopped. */
export const readMail = (
  source: Uint8Array,
  limits: Limits = { memoryMegabytes: 400, seconds: 60 }
): Effect.Effect<ParsedMail, MailUnreadable | GuardedProcessFailed> =>
  source.length <= maxBytesHere && !hasMoreLines(source, maxLinesHere)
    ? parseMail(source)
    : runGuarded("MailParserThread", [source], { ...limits, maxReplyBytes }).pipe(
      Effect.mapError((failed) => {
        const reason = reasonOf(failed, limits)
        return reason === null ? failed : new MailUnreadable({ reason })
      }),
      Effect.flatMap((bytes) => Effect.catchTag(mailOfReply(bytes), "ParseError", Effect.die))
    )

const hasMoreLines = (source: Uint8Array, max: number): boolean => {
  let lines = 0
  for (let at = source.indexOf(10); at >= 0 && lines <= max; at = source.indexOf(10, at + 1)) lines++
  return lines > max
}

/** Null: the mail is not the cause, so it may be read later. */
const reasonOf = ({ kind }: GuardedProcessFailed, { memoryMegabytes, seconds }: Limits): string | null => {
  switch (kind) {
    case "start":
      return null
    case "memory":
      return `Reading the mail needs more memory than ${memoryMegabytes} MB.`
    case "time":
      return `Reading the mail takes longer than ${seconds} s.`
    case "reply":
      return `What the mail holds has more than ${maxReplyBytes} bytes.`
    case "crash":
      return "The mail is damaged in a way that stops it from being read."
  }
}

/** The payload holds the contents of the attachments, one after the other. */
const MailReply = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Mail"),
    ...MailContent.fields,
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

/** What the separate process answers. */
export const mailReply: (parsed: Effect.Effect<ParsedMail, MailUnreadable>) => Effect.Effect<Buffer> = Effect.match({
  onFailure: ({ reason }) => sent({ _tag: "Unreadable", reason }, new Uint8Array()),
  onSuccess: ({ attachments, ...mail }) =>
    sent(
      {
        ...mail,
        _tag: "Mail",
        attachments: attachments.map(({ content, ...attachment }) => ({ ...attachment, bytes: content.length }))
      },
      Buffer.concat(attachments.map(({ content }) => content))
    )
})

const mailOfReply = (
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
