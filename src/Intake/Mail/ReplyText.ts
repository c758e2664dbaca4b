import { Effect } from "effect"
import EmailReplyParser from "email-reply-parser"
import { Script } from "node:vm"
import type { ParsedMail } from "../../Wire/MailParser.ts"

export interface MailText {
  /** What the sender wrote. */
  readonly own: string
  /** What the sender quoted or forwarded, and the signature. */
  readonly rest: string
  /** What the mails and invitations say that the sender enclosed. */
  readonly enclosed: string
}

type Words = Pick<MailText, "own" | "rest">

const maxParsed = 30_000
const maxRest = 60_000
/** The parser's regular expressions take minutes for texts that are made for it. */
const timeout = 150

const script = new Script("split(text)")

export const splitText = ({ enclosed, text }: Pick<ParsedMail, "enclosed" | "text">): Effect.Effect<MailText> =>
  Effect.suspend(() => {
    const begin = text.slice(0, maxParsed)
    return Effect.try((): Words => {
      let found: Words = { own: "", rest: "" }
      const split = (given: string) => {
        const fragments = new EmailReplyParser().read(given).getFragments()
        const joined = (isHidden: boolean) =>
          fragments.filter((one) => one.isHidden() === isHidden).map((one) => one.getContent()).join("\n")
        found = { own: joined(false), rest: joined(true) }
      }
      script.runInNewContext({ split, text: begin }, { timeout })
      return found
    }).pipe(
      Effect.orElseSucceed(() => byMarks(begin)),
      Effect.map(({ own, rest }) => ({
        own: own.trim(),
        rest: bounded(`${rest}\n${text.slice(maxParsed)}`.trim()),
        enclosed: bounded(enclosed)
      }))
    )
  })

/** Without own words, files or enclosed mails; of a mail that was cut, that is not known. */
export const saysNothing = (
  { own }: MailText,
  { isCut, mail }: { readonly mail: Pick<ParsedMail, "attachments" | "enclosed">; readonly isCut: boolean }
): boolean => own === "" && mail.enclosed === "" && mail.attachments.length === 0 && !isCut

const byMarks = (text: string): Words => {
  const lines = text.split("\n")
  const isQuoted = (line: string) => line.startsWith(">")
  return {
    own: lines.filter((line) => !isQuoted(line)).join("\n"),
    rest: lines.filter(isQuoted).join("\n")
  }
}

const bounded = (text: string): string =>
  text.length <= maxRest
    ? text
    : `${text.slice(0, maxRest)}\n[The first ${maxRest} of ${text.length} characters; the rest was left out.]`
