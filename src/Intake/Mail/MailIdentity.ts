import { createHash } from "node:crypto"
import type { ParsedMail } from "../../Wire/MailParser.ts"

export const digestOf = (...parts: ReadonlyArray<string | Uint8Array>): string =>
  parts.reduce((hash, part) => hash.update(part).update("\n"), createHash("sha256")).digest("hex")

const maxText = 20_000

/**
 * What tells a mail from all others, wherever and however often it arrives. Its Message-ID does not do: devices and
 * scripts use one for all of their mails. Its way (`Received`) and what lists and servers add on it do not count.
 */
export const identityOf = (mail: ParsedMail, address: string): string => {
  const date = dateOf(mail)
  return digestOf(
    "mail",
    mail.messageId ?? "",
    address,
    date ?? (mail.messageId === null ? firstHopOf(mail) : ""),
    // Without a date, subject and text are all that tells two mails apart.
    plain(date === null ? mail.subject : withoutListName(mail.subject)),
    plain(date === null ? mail.text : withoutFooter(mail.text)).slice(0, maxText),
    plain(mail.enclosed).slice(0, maxText),
    ...mail.attachments.map(({ content }) => digestOf(content)).toSorted()
  )
}

/** The identity in the rows of earlier versions, which are kept for 90 days. */
export const earlierIdentityOf = ({ messageId }: ParsedMail, source: Uint8Array, address: string): string =>
  digestOf(messageId ?? digestOf(source), address)

/** Null: it has none that can be read, or that of a clock which was never set, as those of devices begin at 1970 or 2000. */
export const dateOf = ({ date }: Pick<ParsedMail, "date">): string | null =>
  date !== null && /^(?:201[5-9]|20[2-9]\d|2[1-9]\d\d)-\d\d-\d\dT/.test(date) ? date : null

/** The server that took the mail from its sender added its header first, below those of all others. */
const firstHopOf = ({ headers }: ParsedMail): string =>
  headers.findLast(({ name }) => name === "received")?.value.split(";").at(-1)?.trim() ?? ""

const plain = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const withoutListName = (subject: string): string => subject.replaceAll(/\[[^[\]]{1,60}\]/g, "")

const rule = /^(?:--|[-_]{3,}|[=*~#]{5,}|(?:-=){3,}-?)$/

/** Without what a mailing list or a mail server adds below a rule, and the signature. */
const withoutFooter = (text: string): string => {
  const lines = text.split("\n")
  const end = lines.findIndex((line) => rule.test(line.trim()))
  const above = lines.slice(0, end === -1 ? lines.length : end).join("\n")
  return above.trim() === "" ? text : above
}
