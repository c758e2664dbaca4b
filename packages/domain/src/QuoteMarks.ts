/**
 * The shapes by which programs mark the words of others, in any language: no words are compared. Lines are given as
 * `plainLineOf` returns them. In doubt, `isStrict` takes a line for a mark.
 */

/** Lines that begin with a sign of a quote, such as `>`, `|`, `»`, `:`, a vertical line, or `AB>` for a person's initials. */
export const isQuoted = (line: string | undefined): boolean =>
  line !== undefined
  && /^[>|¦»›❯\u2502\u2503\u2506\u2507\u250A\u250B\u2551\u2588-\u2590\u23B8\u23B9\u2758-\u275A]|^:(?: |$)|^\p{L}{1,3}>+(?: |$)/u
    .test(line)

/** Lines that begin with another sign which begins no sentence, with a tag such as `[quote]`, or with one of a quote behind a bullet. */
export const mayBeQuoted = (line: string): boolean =>
  /^(?![+~<])[\p{Sm}\p{Pe}\p{Pf}%‖ǀ▶]|^(?!\p{Extended_Pictographic})\p{So}|^&gt;/u.test(line)
  || isQuoted(line.replace(/^(?:[-+•]|\p{Nd}{1,3}[.)]) ?/u, "").replace(/^\[(?=>)/, ""))

const tag = /^[[{<]\/?(?!https?:|mailto:)\p{L}{2,}[^\]}>@]{0,40}(?:[}>]|\](?!\())/u

const endsWithColon = /[:׃։՝៖፥፦᠄∶꞉]$/
const address = /[^\s<>@:]@[^\s<>@.]+\.[^\s<>@]/
const inBrackets = /[<[(][^<>[\]()@]*@[^<>[\]()]*[>\])]/
const clock = /\p{Nd}{1,2}[:.h時时]\p{Nd}{2}(?!\p{Nd})/u
const year = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u
const day = /(?<!\p{Nd})\p{Nd}{1,2}(?!\p{Nd})/u
const digitalDate = /\p{Nd}{1,4}[./-] ?\p{Nd}{1,2}[./-] ?\p{Nd}{1,4}|\p{Nd}{1,4} ?[年月日년월일]/u

/** A day of a year. */
const isDate = (text: string): boolean => digitalDate.test(text) || (year.test(text) && day.test(text))

/** A day without a year, with a name behind it: `Le 3 mars Ada a écrit`. */
const isDayAndName = (text: string, isStrict: boolean): boolean => {
  const words = text.split(" ")
  const at = words.findIndex((word) => /^\p{Nd}{1,2}[.,]?(?:\p{L}{1,2})?[.,]?$/u.test(word))
  if (at < 0 || at > (isStrict ? 3 : 2)) return false
  const behind = words.slice(at + (words[at]?.endsWith(",") === true ? 1 : 2))
  const name = behind.findIndex((word) => /^["'(]?\p{Lu}/u.test(word))
  return name !== -1 && (isStrict || /^\p{Ll}/u.test(behind.slice(name + 1).at(-1) ?? ""))
}

const ruleSigns = "-‐‑‒–—―_=~─━═"
const rule = new RegExp(`^[${ruleSigns}]{2,}`)
const ruleWithin = new RegExp(`[${ruleSigns}]{2,}`)

const lengthOfRule = (text: string, pattern: RegExp): number => pattern.exec(text)?.[0].length ?? 0

/** More than one word; some scripts write them without spaces. */
const hasWords = (title: string): boolean =>
  title.trim().includes(" ") || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]{2}/u.test(title)

const maxTitle = 160

/** A line of dashes or the like, alone or with a title within it: `---- Original Message ----`. */
export const isRule = (line: string, isStrict: boolean): boolean => {
  const joined = line.replaceAll(" ", "")
  const before = lengthOfRule(line, rule)
  if (before === 0) return false
  if (lengthOfRule(joined, rule) === joined.length) return isStrict || joined.length > 4
  const title = line.slice(before).trimStart()
  const end = title.search(ruleWithin)
  if (!/^[\p{L}\p{N}"'<[(]/u.test(title)) return false
  if (end < 1 || end > maxTitle) return before > (isStrict ? 2 : 4)
  return isStrict || (before > 3 && lengthOfRule(title.slice(end), rule) > 3) || hasWords(title.slice(0, end))
}

const maxName = 80
const maxHeadWords = 8
const maxNameWords = 6

/** Few words, of which none is written small. */
const isName = (text: string): boolean =>
  text.length <= maxName / 2 && /\p{L}/u.test(text) && !/[.!?;]$/.test(text)
  && text.split(" ").length <= maxNameWords && !/@|(?:^|\s)\p{Ll}/u.test(text)

/** A word or three before a colon; no address of a page. Null: the line has no label. */
const labelOf = (line: string): string | null =>
  /^(\p{L}[\p{L}\p{M}'’.()/-]{0,40}(?: [\p{L}\p{M}'’.()/-]{1,40}){0,2}) ?[:׃։՝៖፥፦᠄∶꞉](?!\/\/)/u.exec(line)?.[1] ?? null

/** Whether a long value goes on in the next line, or begins there. */
const goesOn = (header: string, next: string): boolean =>
  header !== "" && (endsWithColon.test(header) || /[,;]$/.test(header) || /^[<[("']/.test(next))

const maxEmpty = 2
const maxHeaders = 8

/** The lines from `start` on that may be the headers of one mail. */
const headersFrom = (lines: ReadonlyArray<string>, start: number, isStrict: boolean): ReadonlyArray<string> => {
  const found: Array<string> = []
  let empty = 0
  for (let index = start; index < lines.length && found.length < maxHeaders; index++) {
    const line = lines[index] ?? ""
    if (line === "") {
      empty++
      if (empty > maxEmpty) break
      continue
    }
    const isProof = address.test(line) || isDate(line)
    if (labelOf(line) === null && !(empty === 0 && isProof && goesOn(found.at(-1) ?? "", line))) break
    // Paragraphs with a label are common; those of headers say who or when.
    if (empty > (isStrict ? 1 : 0) && !isProof && !found.some((one) => address.test(one) || isDate(one))) break
    empty = 0
    found.push(line)
  }
  return found
}

/** Whether a label has its value in its line, or in the next one: the last line of a paragraph may end with a colon. */
const hasValue = (lines: ReadonlyArray<string>, index: number): boolean =>
  !endsWithColon.test(lines[index] ?? "") || labelOf(lines[nextWithText(lines, index + 1)] ?? "") === null

/** One word with a name, as the only header that somebody has copied. */
const isNamed = (line: string): boolean => {
  const label = labelOf(line)
  return label !== null && !label.includes(" ") && isName(line.slice(label.length).replace(/^ ?./u, "").trim())
}

/**
 * The headers of a mail: two lines with labels that differ, or one with an address in brackets. Of a list in a mail they
 * differ by an address, or a date with its time, in one of them.
 */
export const isHeaderBlock = (lines: ReadonlyArray<string>, start: number, isStrict: boolean): boolean => {
  const first = lines[start] ?? ""
  const label = labelOf(first)
  if (label === null || !hasValue(lines, start)) return false
  if ((inBrackets.test(first) && (isStrict || !label.includes(" "))) || (isStrict && isNamed(first))) return true
  const headers = headersFrom(lines, start, isStrict)
  const labels = new Set(headers.flatMap((line) => labelOf(line) ?? []))
  return labels.size > 1
    && (isStrict || headers.some((line) => address.test(line) || (isDate(line) && clock.test(line))))
}

/** A line with a colon above a forwarded mail, whose headers are quoted or have a date behind the second line, as Apple's. */
export const isAnnouncement = (lines: ReadonlyArray<string>, index: number): boolean => {
  if (!endsWithColon.test(lines[index] ?? "") || (lines[index - 1] ?? "") !== "" || lines[index + 1] !== "") {
    return false
  }
  const next = nextWithText(lines, index + 1)
  if (isQuoted(lines[next])) {
    const inner = lines.slice(next, next + 30).map((line) => line.replace(/^[>|] ?/, ""))
    return isHeaderBlock(inner, nextWithText(inner, 0), false)
  }
  const [, second = "", ...further] = lines.slice(next, next + 4)
  return isHeaderBlock(lines, next, false) && !isDate(second) && further.some(isDate)
}

export const nextWithText = (lines: ReadonlyArray<string>, from: number): number => {
  let index = from
  while (lines[index] === "") index++
  return index
}

/** From 70 to 100 characters, a program may have wrapped a line: what follows it may be its end. */
export const mayBeWrapped = (line: string, next: string): boolean =>
  line.length + 1 + (next.split(" ", 1)[0] ?? "").length >= 70 && line.length <= 100

/** An address and a colon, or a day and a colon. Somebody's address at the end of a sentence may be the sender's. */
const isAttribution = (text: string, isStrict: boolean): boolean => {
  const words = text.replace(/ ?[:׃։՝៖፥፦᠄∶꞉]$/, "")
  if (address.test(words)) {
    const last = words.lastIndexOf(" ") + 1
    const isSentence = words.slice(last).includes("@") && /(?:^| )\p{Ll}/u.test(words.slice(0, last))
    return isStrict || isDate(words) || !isSentence
  }
  return isDate(words) || isDayAndName(words, isStrict) || (isStrict && clock.test(words))
}

/** Both in one line with the words that they announce. */
const isAttributionWithin = (line: string): boolean => {
  const colon = line.indexOf(": ", line.indexOf("@"))
  const announced = line.slice(0, colon)
  return colon > 0 && isDate(announced) && inBrackets.test(announced)
}

const maxAttribution = 4

/** How many lines from `start` on announce a quote, such as `On 3 May 2026, Ada <ada@example.org> wrote:`; or 0. */
export const attributionLength = (lines: ReadonlyArray<string>, start: number, isStrict: boolean): number => {
  const first = lines[start] ?? ""
  if (isAttributionWithin(first)) return 1
  const mayGoOn = /\p{Nd}/u.test(first) || address.test(first) || mayBeWrapped(first, lines[start + 1] ?? "")
  for (let length = 1; length <= (mayGoOn ? maxAttribution : 1); length++) {
    const line = lines[start + length - 1] ?? ""
    if (line === "" || isQuoted(line)) return 0
    if (endsWithColon.test(line)) {
      return isAttribution(lines.slice(start, start + length).join(" "), isStrict)
        ? length
        : 0
    }
  }
  return 0
}

interface Timed {
  readonly before: string
  /** No more than the half of the day stands behind the time. */
  readonly isAtEnd: boolean
}

const clocks = new RegExp(clock, "gu")

const timedOf = (line: string): Timed | null => {
  const time = [...line.matchAll(clocks)].at(-1)
  if (time === undefined) return null
  const behind = line.slice(time.index + time[0].length).replace(/^[:.]\p{Nd}{2}/u, "")
  return {
    before: line.slice(0, time.index).trim(),
    isAtEnd: /^[\s\])]*(?:\p{L}[\p{L}. ]{0,5}[\])]{0,2})?$/u.test(behind)
  }
}

const isTimeAlone = (line: string): boolean => {
  const timed = timedOf(line)
  return timed !== null && timed.isAtEnd && timed.before.length <= maxName / 4
}

/** The head of a message of a chat; `raw` is the line as written. In doubt, any short line with a time at an end, and a tag. */
export const isChatHead = (lines: ReadonlyArray<string>, index: number, raw: string, isStrict: boolean): boolean => {
  const line = lines[index] ?? ""
  if (clock.test(/^\[([^\]]{1,60})\]/.exec(line)?.[1] ?? "")) return true
  const timed = line.length > maxName ? null : timedOf(line)
  if (isStrict) {
    return tag.test(line) || /^<[^<>@\s]{1,30}> /.test(line) || clock.test(/^[^\p{L}]{1,40}/u.exec(line)?.[0] ?? "")
      || (timed?.isAtEnd === true && !line.includes("@") && timed.before.split(" ").length <= maxHeadWords)
  }
  if (isName(line) && line.includes(" ") && isTimeAlone(lines[nextWithText(lines, index + 1)] ?? "")) return true
  if (/^\p{Nd}/u.test(line)) {
    const time = /^[^\p{L}]{1,40}(?:[ap]\.? ?m\.?[^\p{L}]{0,10})?/iu.exec(line)?.[0] ?? ""
    return clock.test(time) && /^[^:>]{1,60}[:>]/.test(line.slice(time.length)) && /[-–—<|][ <]?$/.test(time)
  }
  return timed !== null && timed.isAtEnd && /\p{L}/u.test(timed.before)
    && (/[\t\u00A0 ]{2}[[(]?\p{Nd}{1,2}[:.h]\p{Nd}{2}/u.test(raw) || /\[[^[\]]*$/.test(timed.before)
      || /[—–·•|] ./u.test(timed.before))
}
