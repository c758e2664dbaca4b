import { splitMail, type SplitText } from "@troupe/domain/OwnText"
import { beginningOf } from "@troupe/domain/Text"
import { Effect } from "effect"
import EmailReplyParser from "email-reply-parser"
import { Script } from "node:vm"
import type { ParsedMail } from "../../Wire/MailParser.ts"

/** The texts of a mail by author: its sender, or others. In doubt, a text is by others. */
export interface MailText {
  readonly own: string
  /** Quoted and forwarded texts, and the signature. */
  readonly rest: string
  /** The text of enclosed mails and invitations. */
  readonly enclosed: string
  /** What the mail holds, but does not show. */
  readonly hidden: string
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
const maxHidden = 10_000
/** The parser's regular expressions take minutes for texts that are made for it. A busy machine needs longer for any. */
const timeout = 1_000

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

interface Body extends Pick<ParsedMail, "enclosed" | "text"> {
  readonly shown?: string | null
  readonly hidden?: string
}

/** Letters and digits, so that two ways to write a text down are the same. */
const lettersOf = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

interface Chosen extends SplitText {
  readonly unseen: ReadonlyArray<string>
}

/**
 * The plain text, unless its sender's words there are not those of the HTML: this is what people see, and its structure
 * tells quotes that a plain text may leave unmarked.
 */
const chosenOf = ({ shown = null, text }: Body, isAnswer: boolean): Chosen => {
  const plain = splitMail(text.slice(0, maxParsed), isAnswer)
  if (shown === null) return { ...plain, unseen: [] }
  const seen = lettersOf(shown)
  const unseen = plain.own.split("\n").filter((line) => !seen.includes(lettersOf(line)))
  const inHtml = splitMail(shown.slice(0, maxParsed), isAnswer)
  return lettersOf(inHtml.own).includes(lettersOf(plain.own)) ? { ...plain, unseen } : { ...inHtml, unseen }
}

/** `isAnswer`: the mail answers a mail of this service, and its quotes are from that mail. */
export const splitText = (body: Body, isAnswer: boolean): Effect.Effect<MailText> =>
  Effect.suspend(() => {
    const { enclosed, hidden = "", text } = body
    const { unseen, ...marked } = chosenOf(body, isAnswer)
    return Effect.map(parse(marked.own), ({ isQuoting, own, rest }) => ({
      own: own.trim(),
      rest: beginningOf([rest, marked.rest, text.slice(maxParsed)].filter(Boolean).join("\n").trim(), maxRest),
      enclosed: beginningOf(enclosed, maxRest),
      hidden: beginningOf([hidden, ...unseen].filter((one) => one !== "").join("\n"), maxHidden),
      hasOthers: isQuoting || marked.rest !== "" || enclosed !== ""
    }))
  })

/** True for a mail without own words, files or enclosed mails. A mail that was cut may have some. */
export const saysNothing = (
  { own }: MailText,
  { isCut, mail }: { readonly mail: Pick<ParsedMail, "attachments" | "enclosed">; readonly isCut: boolean }
): boolean => own === "" && mail.enclosed === "" && mail.attachments.length === 0 && !isCut

/** A word and a colon, as mail programs put before the subject of an answer or a forwarded mail in any language. */
const prefix = /^\p{L}[\p{L}\p{M}.]{0,14} ?(?:[([]\d{1,4}[)\]])? ?[:：]/u

/** The subject, or none where it may come from a mail that is answered or forwarded. */
export const ownSubject = (
  { references, subject }: Pick<ParsedMail, "references" | "subject">,
  { hasOthers }: MailText
): string | null => subject === "" || hasOthers || references.length > 0 || prefix.test(subject.trim()) ? null : subject

/** The sender's request; null if the mail has no words of its sender. */
export const requestOf = (mail: Pick<ParsedMail, "references" | "subject">, text: MailText): string | null =>
  text.own === "" ? ownSubject(mail, text) : text.own
