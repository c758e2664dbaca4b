import { inBrackets, isHeaderBlock, isSeparator, oneOf, rule, time } from "./MailHeaders.ts"
import * as vocabulary from "./MailVocabulary.ts"

export interface MarkedText {
  /** The lines of the sender. */
  readonly own: string
  /** All others: quoted and forwarded mails, and the marks above them. */
  readonly rest: string
}

/**
 * Parts a text at the marks that mail programs set above a mail which they forward or quote. Everything below a mark is
 * the rest. Lines quoted by `>` are, too, but not those between them: that is how people answer. Below a line such as
 * "Eve wrote:" these are the sender's only in an answer to a mail of ours: not every program marks each line by `>`, and
 * the mark of the first may be Eve's.
 */
export const splitAtMarks = (text: string, isAnswer: boolean): MarkedText => {
  const lines = text.split("\n")
  const plain = lines.map(plainOf)
  const own: Array<string> = []
  const rest: Array<string> = []
  let index = 0
  while (index < lines.length) {
    const end = endOfForeign(plain, index, isAnswer)
    if (end === index) own.push(lines[index] ?? "")
    else rest.push(...lines.slice(index, end))
    index = Math.max(end, index + 1)
  }
  return { own: withoutRule(own).join("\n"), rest: rest.join("\n") }
}

/** Where the lines of others end that begin at `start`; `start` itself if none do. */
const endOfForeign = (lines: ReadonlyArray<string>, start: number, isAnswer: boolean): number => {
  if (lines[start] === "") return start
  if (isQuoted(lines[start])) return isQuotedMark(lines, start) ? lines.length : endOfQuote(lines, start)
  const announced = attributionLength(lines, start)
  if (announced > 0) {
    const quoted = nextWithText(lines, start + announced)
    return isAnswer && isQuoted(lines[quoted]) ? endOfQuote(lines, quoted) : lines.length
  }
  return isMark(lines, start) ? lines.length : start
}

const maxLine = 500

const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g

/** As it is compared: with single spaces and usual digits, without invisible signs and the asterisks of bold text. */
const plainOf = (line: string): string =>
  line.slice(0, maxLine).replaceAll(/[\p{Cf}\u00ad]/gu, "").replaceAll(/[\s\p{Zs}]+/gu, " ").replaceAll("*", "")
    .replaceAll(arabicDigits, (digit) => String(digit.charCodeAt(0) % 16)).trim().toLowerCase()

const isQuoted = (line: string | undefined): boolean => line !== undefined && /^>|^\p{L}{1,3}>+(?: |$)/u.test(line)

const nextWithText = (lines: ReadonlyArray<string>, from: number): number => {
  let index = from
  while (lines[index] === "") index++
  return index
}

/** From 70 to 100 characters, a program may have wrapped a quoted line: what follows it may be its end. */
const mayBeWrapped = (line: string, next: string): boolean => {
  const length = line.length + 1 + (next.split(" ", 1)[0] ?? "").length
  return length >= 70 && line.length <= 100
}

/** After the lines with `>` from `start` on, and those that may be the wrapped end of one. */
const endOfQuote = (lines: ReadonlyArray<string>, start: number): number => {
  let end = start
  while (end < lines.length) {
    const line = lines[end] ?? ""
    const above = lines[end - 1] ?? ""
    if (isQuoted(line)) end++
    else if (line !== "" && end > start && isQuoted(above) && mayBeWrapped(above, line)) {
      while (end < lines.length && lines[end] !== "" && !isQuoted(lines[end])) end++
    } else break
  }
  return end
}

const ruleAbove = new RegExp(`^(?:\\s|${rule})*$`)

const isMark = (lines: ReadonlyArray<string>, index: number): boolean =>
  isSeparator(lines[index] ?? "") || isHeaderBlock(lines, index)

/** The mark of a forwarded mail in the first line of those quoted by `>`. */
const isQuotedMark = (lines: ReadonlyArray<string>, index: number): boolean => {
  const inner = lines.slice(index, index + 30).map((line) => line.replace(/^> ?/, ""))
  const first = nextWithText(inner, 0)
  return first < inner.length && isMark(inner, first)
}

const starters =
  /^(?:on|am|le|el|il|em|op|den|d\.|dnia|w dniu|dne|dňa|pe|la|в|на|у|tarih|kl|in data|a|ons|tor|fre)[\s.,]/u

const wroteAtEnd = new RegExp(`(?:${oneOf(vocabulary.wrote)})[ ,]?(?:[:：]|${rule}{2,60})$`, "u")

const wrote = new RegExp(`(?:^|[\\s"”>,])(?:${oneOf(vocabulary.wrote)})`, "u")

const isAttribution = (text: string): boolean =>
  wroteAtEnd.test(text) || (/(?:[:：]|--)$/.test(text) && (
    (/\d/.test(text) && wrote.test(text)) || (inBrackets.test(text) && time.test(text) && /\d{4}/.test(text))
  ))

const maxAttribution = 4

/** How many lines from `start` on announce a quoted mail, such as `On 3 May 2026, Ada <ada@example.org> wrote:`; or 0. */
const attributionLength = (lines: ReadonlyArray<string>, start: number): number => {
  const first = lines[start] ?? ""
  if (isAttribution(first)) return 1
  if (!starters.test(first) && !inBrackets.test(first)) return 0
  for (let length = 2; length <= maxAttribution; length++) {
    const line = lines[start + length - 1] ?? ""
    if (line === "" || isQuoted(line)) return 0
    if (/[:：]$/.test(line)) {
      const text = lines.slice(start, start + length).join(" ")
      return /\d/.test(text) && isAttribution(text) ? length : 0
    }
  }
  return 0
}

/** Without the empty lines and rules above a mark. */
const withoutRule = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = lines.findLastIndex((line) => !ruleAbove.test(line))
  return lines.slice(0, last + 1)
}
