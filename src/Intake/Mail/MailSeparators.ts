import * as vocabulary from "./MailVocabulary.ts"

export const oneOf = (words: ReadonlyArray<string>): string =>
  words.toSorted((a, b) => b.length - a.length).map((word) => word.replaceAll(/[().*+?/|[\]\\]/g, "\\$&")).join("|")

/** What programs draw lines with. */
export const rule = "[-–—_=~]"
const forwarded = new RegExp(`(?:${oneOf(vocabulary.forwarded)})`, "u")
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
