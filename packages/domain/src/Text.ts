import { ownLines, ownText } from "./OwnText.ts"

/** A count with its noun: "1 second", "2 seconds". */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** White space and characters that nobody sees become a space each; at most `max` characters. */
export const oneLine = (text: string, max: number): string => headOf(text.replaceAll(/[\p{C}\s]+/gu, " ").trim(), max)

/** The title of a task; without one, the beginning of its description. */
export const titleOf = (task: { readonly title: string | null; readonly description: string }): string =>
  task.title ?? shortened(task.description.trim().split("\n", 1)[0]?.trim() || "Untitled", 80)

/** Longer results are cut at their end. */
export const verbatimChars = 4_000
export const excerptChars = 12_000
export const excerptLines = 20

/** A tool result as the model sees it. */
export const truncatedResult = (text: string): string => {
  if (text.length <= verbatimChars) return text
  if (text.length <= excerptChars) {
    const head = headOf(text, verbatimChars)
    return `${head}\n\n[Truncated: the first ${head.length} of ${text.length} characters are shown.]`
  }
  const head = headOf(text, Math.min(endOfLines(text), excerptChars))
  const lines = countLines(text)
  const shown = countLines(head)
  return `${head}\n\n[Truncated: the first ${shown} of ${lines} lines are shown (${head.length} of ${text.length} `
    + "characters). Use read_file with offset and limit to read further in a file.]"
}

/** The first line that is not blank, cut to 200 characters. */
export const firstLineOf = (text: string): string => shortened(text.trimStart().split("\n", 1)[0] ?? "", 200)

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${headOf(text, length - 1)}…` : text

/** The first characters of a text that may be longer, with a note where the rest is left out. */
export const beginningOf = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, max)}\n[The first ${max} of ${text.length} characters; the rest was left out.]`

/** Lines may be very long, so the caller limits the characters too. */
const endOfLines = (text: string): number => {
  let end = -1
  for (let line = 0; line < excerptLines; line++) {
    end = text.indexOf("\n", end + 1)
    if (end === -1) return text.length
  }
  return end
}

/** One character less if the end would split a surrogate pair. */
export const headOf = (text: string, length: number): string => {
  const splits = length < text.length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1))
    && /[\uDC00-\uDFFF]/.test(text.charAt(length))
  return text.slice(0, splits ? length - 1 : length)
}

const countLines = (text: string): number => {
  let lines = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** A question with what to choose from, a line each. Questions of earlier versions have these lines already. */
export const withChoices = (question: string, choices: ReadonlyArray<string>): string => {
  const list = choiceList(choices)
  return question.endsWith(list) ? question : question + list
}

export const choiceList = (choices: ReadonlyArray<string>): string => choices.map((choice) => `\n- ${choice}`).join("")

/** Tags, the address of a link, the marks of headings, rules, emphasis, code, quotes and tables. */
const markup = [
  /<\/?[\p{L}!?][^<>]*>/gu,
  /(?<=\])\([^()]*\)/g,
  /(?<=^|\s)#+(?=\s|$)/g,
  /[-=_~*]{3,}/g,
  /[*`~|<>[\]\\]/g,
  /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu
]

/** Invisible characters, except the joiners within words. */
const invisible = /(?![\u200C\u200D])\p{Cf}/gu

/** Soft hyphens, spaces without width, fillers, byte order marks, marks that change the direction of text, and tags. */
const unseen =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|\u034F|[\uFE00-\uFE0D]|[\u{E0000}-\u{E0FFF}]/gu

const joiners = /[\u200C\u200D]+/g

const isBeyondAscii = (character: string | undefined): boolean => character !== undefined && character > "\x7F"

/** Joiners shape letters and emoji, which are beyond ASCII on both sides. */
const withoutStrayJoiners = (text: string): string =>
  text.replaceAll(
    joiners,
    (run, at: number) => isBeyondAscii(text[at - 1]) && isBeyondAscii(text[at + run.length]) ? run : ""
  )

/** The text without the characters of `start` and `end` at its ends. An expression would try its end at each position. */
export const stripped = (text: string, start: string, end = start): string => {
  let [from, to] = [0, text.length]
  while (from < to && start.includes(text.charAt(from))) from++
  while (to > from && end.includes(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** What a person sees of a text that they typed or pasted: spaces of any kind as plain ones, and no invisible characters. */
export const visibleText = (text: string): string =>
  withoutStrayJoiners(text.replaceAll(/\p{Zs}/gu, " ").replaceAll(unseen, ""))

/** A text as one line of plain words, shortened: without line breaks, control and invisible characters, and markup. */
export const plainLine = (text: string, max: number): string => {
  const line = text.replaceAll(invisible, "").replaceAll(/[\p{Cc}\p{Z}]+/gu, " ")
  const words = markup.reduce((left, mark) => left.replaceAll(mark, " "), line)
  return shortened(words.replaceAll(/ +/g, " ").trim(), max)
}

/** Marks a text from outside as data. A closing mark in it is escaped. */
export const markedData = (label: string, text: string, attributes = ""): string =>
  `<${label}${attributes}>\n${text.replaceAll(closing(label), "<\\$1")}\n</${label}>`

/** A paragraph with a title and marked data; none where the text is empty. */
export const markedSection = (title: string, label: string, text: string): ReadonlyArray<string> =>
  text === "" ? [] : [`${title}:\n${markedData(label, text)}`]

const patterns = new Map<string, RegExp>()

const closing = (label: string): RegExp => {
  const known = patterns.get(label)
  if (known !== undefined) return known
  const made = new RegExp(`<(\\s*/\\s*${label})`, "gi")
  patterns.set(label, made)
  return made
}

/** The content of marked data; any other text is returned as it is. */
export const unmarked = (text: string): string =>
  /^<(\w+)(?:[^\w>\n][^>\n]*)?>\n([^]*)\n<\/\1>$/.exec(text)?.[2] ?? text

const openingLine = /^<(\w+)(?:[^\w>][^>]*)?>$/

/** The lines of a text outside of marked data; an empty line stands for each part that is marked. */
export const linesOutsideMarks = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r\n|\r|\n/)
  const lastIndex = new Map(lines.map((line, index) => [line, index]))
  const outside: Array<string> = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    const label = openingLine.exec(line)?.[1]
    const end = `</${label}>`
    const isMarked = label !== undefined && (lastIndex.get(end) ?? -1) > index
    outside.push(isMarked ? "" : line)
    if (isMarked) index = lines.indexOf(end, index)
  }
  return outside
}

/**
 * What the author of a request, answer or message wrote: its lines outside of marked data, without what they quote
 * (`ownText`).
 */
export const trustedText = (text: string): string => ownText(outsideMarks(text))

/** The same with the code, the words in quotation marks and the lines with labels that the author put there: they are asked for, too. */
export const requestedText = (text: string): string => ownLines(outsideMarks(text)).trim()

/**
 * The lines outside of marked data. Each line that may open marked data counts as one, also within another: whatever the
 * author and the outside write, what was marked stays out. Without its closing mark, marked data reaches to the end.
 */
const outsideMarks = (text: string): string => {
  const lines = text.split(/\r?\n/)
  const nextIndex = new Map<string, number>()
  const ends = lines.toReversed().map((line, after) => {
    const index = lines.length - 1 - after
    const label = openingLine.exec(line)?.[1]
    if (line.startsWith("</")) nextIndex.set(line, index)
    return label === undefined ? -1 : nextIndex.get(`</${label}>`) ?? lines.length
  }).toReversed()
  let end = -1
  return lines.filter((_, index) => {
    end = Math.max(end, ends[index] ?? -1)
    return index > end
  }).join("\n")
}

/** Plain text as Markdown that keeps its lines apart. */
export const withHardBreaks = (text: string): string => text.replaceAll(/(?<=\S)[ \t]*\r?\n(?=[^\r\n])/g, "  \n")

/** With a full stop, unless it ends as a sentence does, also within quotation marks. */
export const asSentence = (text: string): string => /[.!?…]["'”’»)\]]*$/.test(text) ? text : `${text}.`
