import { visibleText } from "@troupe/domain/Text"
import { Data, Effect, Option, Schema } from "effect"
import { type Address, addressParser, type Email } from "postal-mime"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { type HtmlText, textOfHtml } from "./MailHtml.ts"
import { MimeParser } from "./MimeParser.ts"
import { withoutUuencoded } from "./Uuencoding.ts"

/** `address` as the mail has it. */
const MailAddress = Schema.Struct({ name: Schema.String, address: Schema.String })
export type MailAddress = typeof MailAddress.Type

/** A mail without its attachments. */
export const MailContent = Schema.Struct({
  /** By lower-case name, in the order of the mail. */
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  /** None unless the mail names exactly one author. */
  from: Schema.Option(MailAddress),
  to: Schema.Array(MailAddress),
  cc: Schema.Array(MailAddress),
  subject: Schema.String,
  /** With angle brackets; null if there is none that can be used. */
  messageId: Schema.NullOr(Schema.String),
  /** What it answers and what came before that, the oldest first, with angle brackets. */
  references: Schema.Array(Schema.String),
  date: Schema.NullOr(Schema.String),
  /** The plain text; without one, the text of the HTML. */
  text: Schema.String,
  /** What the HTML shows, where the mail has a plain text as well; else null. */
  shown: Schema.NullOr(Schema.String),
  /** The text that the mail holds, but shows to nobody. */
  hidden: Schema.String,
  /** What the mails and invitations say that came in it. They are no attachments. */
  enclosed: Schema.String
})

export interface MailAttachment {
  readonly filename: string | null
  readonly contentType: string
  readonly content: Uint8Array
}

type MailContent = typeof MailContent.Type

export interface ParsedMail extends MailContent {
  readonly attachments: ReadonlyArray<MailAttachment>
}

/** It is no mail, or one that is built to exhaust its reader. */
export class MailUnreadable extends Data.TaggedError("MailUnreadable")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const maxText = 200_000
const maxReferences = 100
const maxAddresses = 100
const maxEnclosedMails = 10
/** How deep enclosed mails are read: a mail in a mail. */
const maxDepth = 2
/** Of larger ones only the beginning is read: the parser's memory grows a hundredfold with short lines. */
const maxEnclosedBytes = 128 * 1_024
const maxCalendar = 20_000
const maxHidden = 10_000

/** Reads a mail (RFC 5322, MIME) in whatever character set and encoding it has. */
export const parseMail = (source: Uint8Array): Effect.Effect<ParsedMail, MailUnreadable> => parseAt(source, 0)

const parseAt = (source: Uint8Array, depth: number): Effect.Effect<ParsedMail, MailUnreadable> =>
  Effect.tryPromise({
    try: () =>
      new MimeParser({
        attachmentEncoding: "arraybuffer",
        maxNestingDepth: 50,
        maxHeadersSize: 512 * 1_024,
        // Otherwise the words of a forwarded mail would count as those of its sender.
        forceRfc822Attachments: true
      }).parse(source),
    catch: (cause) =>
      new MailUnreadable({
        reason: `The mail can't be read: ${cause instanceof Error ? cause.message.slice(0, 200) : "unknown format"}.`
      })
  }).pipe(
    Effect.flatMap((email) =>
      Effect.try({
        try: () => mailOf(email),
        catch: () => new MailUnreadable({ reason: "The mail can't be read: its HTML is damaged." })
      })
    ),
    Effect.flatMap((mail) => withEnclosed(mail, depth))
  )

/** What can't be read stays an attachment. */
const withEnclosed = (mail: ParsedMail, depth: number): Effect.Effect<ParsedMail> =>
  Effect.gen(function*() {
    const texts: Array<string> = []
    const attachments: Array<MailAttachment> = []
    for (const one of mail.attachments) {
      const text = texts.length < maxEnclosedMails ? yield* enclosedText(one, depth) : Option.none()
      if (Option.isSome(text)) texts.push(text.value)
      else attachments.push(one)
    }
    return { ...mail, enclosed: texts.join("\n\n").slice(0, maxText), attachments }
  })

const enclosedText = (
  { content, contentType, filename }: MailAttachment,
  depth: number
): Effect.Effect<Option.Option<string>> => {
  const extension = /\.(\w+)$/.exec(filename ?? "")?.[1]?.toLowerCase() ?? ""
  if (contentType === "text/calendar" || extension === "ics") {
    return Effect.succeedSome(normal(decodeText(content)).slice(0, maxCalendar).trim())
  }
  return depth < maxDepth && (contentType === "message/rfc822" || extension === "eml")
    ? Effect.option(
      Effect.map(parseAt(content.slice(0, maxEnclosedBytes), depth + 1), (mail) =>
        content.length <= maxEnclosedBytes
          ? textOfMail(mail)
          : `${textOfMail(mail)}\n\n[This is the first part of a long mail; the rest was left out.]`)
    )
    : Effect.succeedNone
}

const textOfMail = ({ attachments, date, enclosed, from, subject, text }: ParsedMail): string =>
  [
    [
      ...Option.match(from, { onNone: () => [], onSome: ({ address, name }) => [`From: ${name} <${address}>`] }),
      ...(date === null ? [] : [`Date: ${date}`]),
      `Subject: ${subject}`,
      ...attachments.map(({ filename }) => `Attachment, not read: ${filename ?? "without a name"}`)
    ].join("\n"),
    ...[text, enclosed].map((part) => part.trim()).filter((part) => part !== "")
  ].join("\n\n")

const mailOf = (email: Email): ParsedMail => {
  const { files, text } = withoutUuencoded(email.text ?? "")
  return {
    headers: email.headers.map(({ key, value }) => ({ name: key, value })),
    from: authorOf(email),
    to: mailboxes(email.to ?? []),
    cc: mailboxes(email.cc ?? []),
    subject: oneLine(email.subject ?? ""),
    messageId: idsIn(email.messageId ?? "")[0] ?? null,
    references: [
      ...new Set([...idsIn(email.references ?? ""), ...idsIn(email.inReplyTo ?? "")].toReversed())
    ].toReversed().slice(-maxReferences),
    date: email.date === undefined ? null : oneLine(email.date).slice(0, 60),
    ...textsOf(text, email.html),
    enclosed: "",
    attachments: [
      ...email.attachments.map(({ content, filename, mimeType }) => ({
        filename,
        contentType: mimeType,
        content: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content)
      })),
      ...files.map((file) => ({ ...file, contentType: "application/octet-stream" }))
    ]
  }
}

/** The parser keeps only the first of several authors. */
const authorOf = ({ from, headers }: Email): Option.Option<MailAddress> => {
  const authors = headers.filter(({ key }) => key === "from").flatMap(({ value }) =>
    addressParser(value.slice(0, 10_000), { flatten: true })
  )
  return authors.length === 1 && from !== undefined ? Option.fromNullable(mailboxes([from])[0]) : Option.none()
}

/** Groups have no address of their own; their members count. */
const mailboxes = (addresses: ReadonlyArray<Address>): ReadonlyArray<MailAddress> =>
  addresses.flatMap((one) => one.group ?? [one]).slice(0, maxAddresses).map(({ address, name }) => ({
    name: oneLine(name),
    address: address.trim()
  }))

const idsIn = (text: string): ReadonlyArray<string> => text.slice(0, 50_000).match(/<[^<>\s]{1,400}>/g) ?? []

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, " ").trim().slice(0, 1_000)

/** Some programs send a plain text of invisible signs beside the HTML. */
const isEmpty = (text: string): boolean => text.replaceAll(/[\s\p{Cf}\p{Cc}]+/gu, "") === ""

/** The texts of a mail by what they are for. HTML that can't be read does not matter beside a plain text. */
const textsOf = (text: string, html: string | undefined): Pick<MailContent, "hidden" | "shown" | "text"> => {
  const hasText = !isEmpty(text)
  const read: HtmlText | null = html === undefined || html === ""
    ? null
    : hasText
    ? Option.getOrNull(Option.liftThrowable(textOfHtml)(html))
    : textOfHtml(html)
  const hidden = [read?.hidden ?? "", tagsIn(text), tagsIn(html ?? "")].filter((one) => !isEmpty(one))
  return {
    text: normal(hasText || read === null ? text : read.shown),
    shown: hasText && read !== null ? normal(read.shown) : null,
    hidden: normal(hidden.join("\n")).slice(0, maxHidden)
  }
}

/** Characters that nobody sees, and that models read as letters. */
const tagsIn = (text: string): string =>
  (text.match(/[\u{E0020}-\u{E007E}]+/gu) ?? []).map((tags) =>
    Array.from(tags, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xE0000)).join("")
  ).join(" ")

/** A line ends as it does for mail programs, which mark the lines of others: not at a single carriage return. */
const normal = (text: string): string =>
  visibleText(text.slice(0, maxText).replaceAll("\r\n", "\n").replaceAll("\r", " "))
