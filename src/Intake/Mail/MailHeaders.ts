import * as vocabulary from "./MailVocabulary.ts"
import { headerLabels } from "./MailVocabulary.ts"

type Kind = keyof typeof headerLabels

const kindOf: ReadonlyMap<string, Kind> = new Map(
  (["to", "date", "subject", "from"] as const satisfies ReadonlyArray<Kind>).flatMap((kind) =>
    headerLabels[kind].map((label) => [label, kind] as const)
  )
)

const headerOf = (line: string): Kind | undefined => {
  const label = /^([^:：]{1,30}?) ?[:：]/u.exec(line.replace(/^[| ]+/, ""))?.[1]
  return label === undefined ? undefined : kindOf.get(label)
}

const address = /[^\s<>@:]@[^\s<>@.]+\.[^\s<>@]/
export const inBrackets = /[<[][^<>[\]@]*@[^<>[\]]*[>\]]/
export const time = /\d{1,2}[:.h]\d{2}/
const anyHeader = /^[^:：]{1,40}[:：]/u
const maxHeaders = 14
const maxBetween = 2
const maxEmpty = 2

/** The headers of a mail: its sender with a subject or an address; in other languages, lines that look like headers. */
export const isHeaderBlock = (lines: ReadonlyArray<string>, start: number): boolean => {
  const first = lines[start] ?? ""
  if (!anyHeader.test(first)) return false
  const read = headerLines(lines, start)
  const kinds = withoutNext(read.map(headerOf))
  if (kinds[0] === undefined) return looksLikeHeaders(read.slice(0, 3))
  const from = kinds.indexOf("from")
  if (from === -1) return false
  const isAddressed = read.slice(from, from + 2).some((line) => address.test(line))
  return kinds.includes("subject") || (isAddressed && new Set(kinds.slice(0, from + 6)).size > 2)
    || (from === 0 && inBrackets.test(first))
}

/** Up to a second sender, date or subject, which are those of another mail. */
const withoutNext = (kinds: ReadonlyArray<Kind | undefined>): ReadonlyArray<Kind | undefined> => {
  const next = kinds.findIndex((kind, index) => kind !== undefined && kind !== "to" && kinds.indexOf(kind) < index)
  return next === -1 ? kinds : kinds.slice(0, next)
}

/** The lines with text from `start` on that may belong to one block of headers. */
const headerLines = (lines: ReadonlyArray<string>, start: number): ReadonlyArray<string> => {
  const read: Array<string> = []
  let others = 0
  let empty = 0
  for (let index = start; index < lines.length && read.length < maxHeaders; index++) {
    const line = lines[index] ?? ""
    empty = line === "" ? empty + 1 : 0
    if (empty > maxEmpty || line.startsWith(">") || isSeparator(line)) break
    if (line === "") continue
    // A long value goes on in the next lines.
    others = anyHeader.test(line) ? 0 : others + 1
    if (others > maxBetween) break
    read.push(line)
  }
  return read
}

const looksLikeHeaders = (lines: ReadonlyArray<string>): boolean =>
  lines.length === 3 && lines.every((line) => anyHeader.test(line)) && lines.some((line) => inBrackets.test(line))
  && lines.some((line) => time.test(line))

export const oneOf = (words: ReadonlyArray<string>): string =>
  words.toSorted((a, b) => b.length - a.length).map((word) => word.replaceAll(/[().*+?/|[\]\\]/g, "\\$&")).join("|")

/** Characters of separator lines. */
export const rule = "[-–—_=~]"

export const forwarded = new RegExp(`(?:${oneOf(vocabulary.forwarded)})`, "u")

const original = new RegExp(`(?:${oneOf(vocabulary.original)})`, "u")

const message = new RegExp(`(?:${oneOf(vocabulary.message)})`, "u")

const titleBetweenRules = new RegExp(`^(${rule}{2,60}) ?(\\p{L}.{0,120}?) ?(${rule}{2,60})`, "u")

const longRule = 5

/** A line that announces a forwarded or quoted mail, such as `-------- Original Message --------`. */
export const isSeparator = (line: string): boolean => {
  if (/^_{25,}$/.test(line)) return true
  const [, before = "", title, after = ""] = titleBetweenRules.exec(line) ?? []
  if (title === undefined) {
    return line.length <= 60 && /[:：]$/.test(line) && !/[.!?]/.test(line) && forwarded.test(line) && message.test(line)
  }
  return forwarded.test(title) || (original.test(title) && message.test(title))
    || (before.length >= longRule && after.length >= longRule && (original.test(title) || message.test(title)))
}
