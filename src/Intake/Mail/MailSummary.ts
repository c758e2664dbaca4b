import { Effect, Option } from "effect"
import type { MailSource } from "../../Wire/Imap.ts"
import { type ParsedMail, parseMail } from "../../Wire/MailParser.ts"

/** What operators read about a mail that was not taken; null where the mail does not say it. */
export interface MailSummary {
  readonly from: string | null
  readonly subject: string | null
  readonly messageId: string | null
  readonly receivedAt: Option.Option<string>
}

export const noSummary: MailSummary = { from: null, subject: null, messageId: null, receivedAt: Option.none() }

/** By its headers alone, as its content may be what can't be read. */
export const summaryOf: (source: Option.Option<MailSource>) => Effect.Effect<MailSummary> = Option.match({
  onNone: () => Effect.succeed(noSummary),
  onSome: ({ bytes, receivedAt }) =>
    Effect.match(parseMail(headersOf(bytes)), {
      onFailure: () => ({ ...noSummary, receivedAt }),
      onSuccess: (mail) => ({
        from: senderOf(mail),
        subject: mail.subject === "" ? null : mail.subject.slice(0, maxLength),
        messageId: mail.messageId,
        receivedAt
      })
    })
})

const maxLength = 500

const headersOf = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes).toString("latin1")
  const end = /\r?\n\r?\n/.exec(text)?.index
  return end === undefined ? bytes : bytes.subarray(0, end)
}

/** The header as written, if the mail names no single author. */
const senderOf = ({ from, headers }: ParsedMail): string | null => {
  const text = Option.match(from, {
    onNone: () => headers.filter(({ name }) => name === "from").map(({ value }) => value).join(", "),
    onSome: ({ address, name }) => name === "" || address === "" ? name + address : `${name} <${address}>`
  })
  return text.trim() === "" ? null : text.trim().slice(0, maxLength)
}
