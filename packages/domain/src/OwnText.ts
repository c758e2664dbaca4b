import { plainLineOf } from "./PlainLine.ts"
import {
  attributionLength,
  isAnnouncement,
  isChatHead,
  isHeaderBlock,
  isQuoted,
  isRule,
  mayBeQuoted,
  mayBeWrapped,
  nextWithText
} from "./QuoteMarks.ts"

export interface SplitText {
  /** The lines of the author. */
  readonly own: string
  /** All others: words of others, and the marks above them. */
  readonly rest: string
}

interface Rules {
  readonly isStrict: boolean
  /** Nothing below a quoted line is the author's. */
  readonly endsAtQuote: boolean
  /** Also below a line such as `Eve wrote:`, lines between quoted ones are the author's. */
  readonly answersQuotes: boolean
  /** Lines that only may be headers or the head of a message are the author's, such as "Tone: formal" and "Meet at 10:30". */
  readonly keepsDoubtful: boolean
}

/**
 * Parts a mail at the first mark that programs put above words which they forward or quote: a quoted line, headers, a rule,
 * or a line that says who wrote. All below it are the rest. In an answer to a mail of ours, the lines between quoted ones
 * are the sender's: that is how people answer.
 */
export const splitMail = (text: string, isAnswer: boolean): SplitText =>
  split(text, { isStrict: false, endsAtQuote: !isAnswer, answersQuotes: isAnswer, keepsDoubtful: true })

/**
 * The lines of a text in which its author may name recipients, wherever it was written. In doubt, a line is not the
 * author's: nothing below a mark, no quoted or indented line, no code, and no words in quotation marks.
 */
export const ownText = (text: string): string =>
  withoutSpans(
    withoutCode(authored(text, false)).split("\n")
      .filter((line) => !/^(?: {4}|\t)[ \t]*(?![-+*•\p{Nd}])\S/u.test(line)).join("\n").trim()
  )

/**
 * What the author of a text asks for: also code, words in quotation marks and lines of which it is in doubt whether they are of
 * others, such as "Tone: formal". It says nothing about recipients.
 */
export const ownLines = (text: string): string => authored(text, true)

const authored = (text: string, keepsDoubtful: boolean): string =>
  split(text, { isStrict: true, endsAtQuote: false, answersQuotes: false, keepsDoubtful }).own

/** A line of others stays one, also where it has a sign that ends lines for some programs only. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.split(/\r?\n/).flatMap((line) => isQuoted(plainLineOf(line)) ? [line] : line.split(/[\r\v\f\u0085\u2028\u2029]/))

const split = (text: string, rules: Rules): SplitText => {
  const lines = linesOf(text)
  const plain = lines.map(plainLineOf)
  const own: Array<string> = []
  const rest: Array<string> = []
  let index = 0
  while (index < lines.length) {
    const end = endOfOthers(plain, index, lines[index] ?? "", rules)
    if (end === index) own.push(lines[index] ?? "")
    else rest.push(...lines.slice(index, end))
    index = Math.max(end, index + 1)
  }
  return { own: withoutEnd(own, rest.length > 0).join("\n"), rest: rest.join("\n") }
}

/** Where the lines of others end that begin at `start`; `start` itself if none do. */
const endOfOthers = (
  lines: ReadonlyArray<string>,
  start: number,
  raw: string,
  { answersQuotes, endsAtQuote, isStrict, keepsDoubtful }: Rules
): number => {
  const line = lines[start] ?? ""
  if (line === "") return start
  // In a chat, three signs quote all that follows.
  if (isQuoted(line)) {
    return endsAtQuote || (isStrict && line.startsWith(">>>"))
      ? lines.length
      : endOfQuote(lines, start)
  }
  const announced = attributionLength(lines, start, isStrict)
  if (announced > 0) {
    const quoted = nextWithText(lines, start + announced)
    // Elsewhere the mark of the first line may be of its author: not every program marks each line.
    return answersQuotes && isQuoted(lines[quoted]) ? endOfQuote(lines, quoted) : lines.length
  }
  const inDoubt = isStrict && !keepsDoubtful
  if (
    isRule(line, isStrict) || isHeaderBlock(lines, start, inDoubt) || isChatHead(lines, start, raw, inDoubt)
    || isAnnouncement(lines, start)
  ) return lines.length
  return inDoubt && mayBeQuoted(line) ? start + 1 : start
}

/** After the quoted lines from `start` on, and those that may be the wrapped end of one. */
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

/** Without the empty lines and short rules above a mark. */
const withoutEnd = (lines: ReadonlyArray<string>, isMarked: boolean): ReadonlyArray<string> =>
  isMarked ? lines.slice(0, lines.findLastIndex((line) => !/^[\s_=~-]*$/.test(line)) + 1) : lines

/** A block of code holds what was copied. Without its end, it reaches to the end of the text. */
const withoutCode = (text: string): string => text.split("```").filter((_, at) => at % 2 === 0).join("\n")

/** A single word between quotation marks is a name. Without its end, a quotation reaches to the end of its line. */
const withoutSpans = (text: string): string =>
  text.replaceAll(
    /`[^`\n]*`|"[^"]*"|[“”„‟][^“”„‟]*(?:”|“(?!\p{L}))|[«»][^«»]*[«»]|‹[^‹›]*›|‘(?:[^‘’\n]|’(?=\p{L}))*’|「[^「」]*」|『[^『』]*』|《[^《》]*》|〝[^〝〞〟]*[〞〟]|″[^″]*″|(?<![\p{L}\p{N}])'(?=\S)(?:[^'\n]|'(?=\p{L})){1,400}'(?!\p{L})|["“„«‹‘「『《〝″][^\n]*/gu,
    (span) => /\S\s+\S/.test(span) ? " " : span
  )
