import { beginningOf } from "@troupe/domain/Text"
import { Effect } from "effect"
import EmailReplyParser from "email-reply-parser"
import { Script } from "node:vm"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import { splitAtMarks } from "./MailMarks.ts"
import { subjectPrefixes } from "./MailVocabulary.ts"

/** The texts of a mail by author: its sender, or others. In doubt, a text is by others. */
export interface MailText {
  readonly own: string
  /** Quoted and forwarded texts, and the signature. */
  readonly rest: string
  /** The text of enclosed mails and invitations. */
  readonly enclosed: string
  /** Whether it quotes, forwards or encloses something. */
  readonly hasOthers: boolean
}

interface Words {
  readonly own: string
  readonly rest: string
  readonly isQuoting: boolean
}

const maxParsed = 30_000
const maxRest = 60_000
/** The parser's regular expressions take minutes for texts that are made for it. */
const timeout = 150

const script = new Script("split(text)")

/** Finds the signature, and further marks, in the text above the first mark. */
const parse = (text: string): Effect.Effect<Words> =>
  Effect.try((): Words => {
    let found: Words = { own: text, rest: "", isQuoting: false }
    const split = (given: string) => {
      const fragments = new EmailReplyParser().read(given).getFragments()
      const joined = (isHidden: boolean) =>
        fragments.filter((one) => one.isHidden() === isHidden).map((one) => one.getContent()).join("\n")
      found = { own: joined(false), rest: joined(true), isQuoting: fragments.some((one) => one.isQuoted()) }
    }
    // The parser finds a signature below another line only.
    script.runInNewContext({ split, text: `\n${text}` }, { timeout })
    return found
  }).pipe(Effect.orElseSucceed(() => ({ own: text, rest: "", isQuoting: false })))

/** `isAnswer`: the mail answers a mail of this service, and its quotes are from that mail. */
export const splitText = (
  { enclosed, text }: Pick<ParsedMail, "enclosed" | "text">,
  isAnswer: boolean
): Effect.Effect<MailText> =>
  Effect.suspend(() => {
    const marked = splitAtMarks(text.slice(0, maxParsed), isAnswer)
    return Effect.map(parse(marked.own), ({ isQuoting, own, rest }) => ({
      own: own.trim(),
      rest: beginningOf([rest, marked.rest, text.slice(maxParsed)].filter(Boolean).join("\n").trim(), maxRest),
      enclosed: beginningOf(enclosed, maxRest),
      hasOthers: isQuoting || marked.rest !== "" || enclosed !== ""
    }))
  })

/** True for a mail without own words, files or enclosed mails. A mail that was cut may have some. */
export const saysNothing = (
  { own }: MailText,
  { isCut, mail }: { readonly mail: Pick<ParsedMail, "attachments" | "enclosed">; readonly isCut: boolean }
): boolean => own === "" && mail.enclosed === "" && mail.attachments.length === 0 && !isCut

const prefix = new RegExp(`^\\s*(?:${subjectPrefixes.join("|")})(?:\\s?[([]\\d+[)\\]])?\\s?[:：.]`, "iu")

/** The subject, or none where it may come from a mail that is answered or forwarded. */
export const ownSubject = (
  { references, subject }: Pick<ParsedMail, "references" | "subject">,
  { hasOthers }: MailText
): string | null =>
  subject === "" || hasOthers || references.length > 0 || prefix.test(subject.toLowerCase()) ? null : subject

/** The sender's request; null if the mail has no words of its sender. */
export const requestOf = (mail: Pick<ParsedMail, "references" | "subject">, text: MailText): string | null =>
  text.own === "" ? ownSubject(mail, text) : text.own
