import { isUtf8 } from "node:buffer"
import { decodeText } from "../Runtime/TextDecoding.ts"

const word = /=\?([^?\s]+)\?([QqBb])\?([^?]*)\?=/g

/** A parameter in sections or with its own character set (RFC 2231): `filename*0*=utf-8''...`. */
const section = /;\s*([\w!#$&.^`|~+-]+)\*(?:(\d{1,3})(\*)?)?\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g

const maySay = /=\?|\*(?:\d{1,3}\*?)?\s*=/

/** Whether it has the escape sequences of ISO-2022-JP, which is seven bits wide and often not labelled. */
export const isJapanese = (text: string): boolean => ["\u001b$B", "\u001b$@"].some((escape) => text.includes(escape))

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * An unfolded header of a mail or of a part, with its characters, encoded words and parameters in UTF-8. `charset`: that of
 * the mail, for 8-bit characters that are not UTF-8.
 */
export const headerInUtf8 = (line: Uint8Array, charset: string): Uint8Array => {
  const start = line.indexOf(58) + 1
  const raw = line.subarray(start)
  const text = textOf(raw, charset)
  if (text === null || start === 0) return line
  const value = withUtf8Words(text)
  const name = decoder.decode(line.subarray(0, start)).trim().toLowerCase()
  const isContent = name === "content-type:" || name === "content-disposition:"
  return Buffer.concat([line.subarray(0, start), Buffer.from(isContent ? withUtf8Parameters(value) : value)])
}

/** Null: it says what it says, in UTF-8. */
const textOf = (raw: Uint8Array, charset: string): string | null => {
  if (!isUtf8(raw)) return oneLine(decodeText(raw, /^utf/i.test(charset) ? "utf-8" : charset))
  const text = decoder.decode(raw)
  if (isJapanese(text)) return oneLine(decodeText(raw, "iso-2022-jp"))
  return maySay.test(text) ? text : null
}

/** No character set may end a header and begin another. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, " ")

interface EncodedWord {
  readonly charset: string
  readonly bytes: Uint8Array
}

/** Writes each run of encoded words by `written`; between them, spaces don't count (RFC 2047, 6.2). */
const withWords = (text: string, written: (run: ReadonlyArray<EncodedWord>) => string): string => {
  let result = ""
  let end = 0
  let run: Array<EncodedWord> = []
  for (const match of text.matchAll(word)) {
    const between = text.slice(end, match.index)
    if (run.length === 0 || between.trim() !== "") {
      result += written(run) + between
      run = []
    }
    run.push(wordOf(match))
    end = match.index + match[0].length
  }
  return result + written(run) + text.slice(end)
}

/** With the encoded words as what they say. */
export const decodedWords = (text: string): string => withWords(text, (run) => groupsOf(run).map(groupText).join(""))

const withUtf8Words = (text: string): string =>
  withWords(
    text,
    (run) => groupsOf(run).map((group) => `=?utf-8?B?${Buffer.from(groupText(group)).toString("base64")}?=`).join(" ")
  )

const wordOf = ([, label = "", encoding = "", payload = ""]: ReadonlyArray<string | undefined>): EncodedWord => ({
  // RFC 2231 allows a language after the character set.
  charset: (label.split("*", 1)[0] ?? "").toLowerCase(),
  bytes: /^b$/i.test(encoding)
    ? Buffer.from(payload, "base64")
    : escapedBytes(payload.replaceAll("_", " ").replaceAll(/=\s+(?=[\da-f])/gi, "="), /=([\da-f]{2})/i)
})

/** Some programs cut a text in the middle of a character, so the words of one character set are read together. */
const groupsOf = (run: ReadonlyArray<EncodedWord>): ReadonlyArray<ReadonlyArray<EncodedWord>> => {
  const groups: Array<Array<EncodedWord>> = []
  for (const one of run) {
    const last = groups.at(-1)
    if (last?.[0]?.charset === one.charset) last.push(one)
    else groups.push([one])
  }
  return groups
}

const groupText = (group: ReadonlyArray<EncodedWord>): string => {
  const charset = group[0]?.charset ?? "utf-8"
  const together = decodeText(Buffer.concat(group.map(({ bytes }) => bytes)), charset)
  return together.includes("\uFFFD") ? group.map(({ bytes }) => decodeText(bytes, charset)).join("") : together
}

/** `escape` has one group: the two hexadecimal digits of a byte. */
const escapedBytes = (text: string, escape: RegExp): Buffer =>
  Buffer.concat(text.split(escape).map((part, index) => Buffer.from(part, index % 2 === 0 ? "utf8" : "hex")))

interface Section {
  readonly position: number
  readonly isEscaped: boolean
  readonly value: string
}

const withUtf8Parameters = (value: string): string => {
  const parameters = new Map<string, Array<Section>>()
  const rest = value.replace(section, (_, name: string, position?: string, star?: string, given = "") => {
    const key = name.toLowerCase()
    const sections = parameters.get(key) ?? []
    parameters.set(key, sections)
    sections.push({
      position: Number(position ?? 0),
      isEscaped: position === undefined || star !== undefined,
      value: given.trim().replaceAll(/^"|"$/g, "").replaceAll(/\\(.)/g, "$1")
    })
    return ""
  })
  return rest +
    Array.from(
      parameters,
      ([name, sections]) =>
        `; ${name}*=utf-8''${Buffer.from(sectionsText(sections)).toString("hex").replaceAll(/../g, "%$&")}`
    ).join("")
}

/** Only escaped sections are decoded, those next to each other together, since a character may be cut. */
const sectionsText = (sections: ReadonlyArray<Section>): string => {
  const [first, ...others] = sections.toSorted((one, other) => one.position - other.position)
  if (first === undefined) return ""
  const [, charset = "", begin = first.value] = (first.isEscaped && /^([^']*)'[^']*'(.*)$/.exec(first.value)) || []
  let text = ""
  let escaped = ""
  const flush = () => {
    text += escaped === "" ? "" : decodeText(escapedBytes(escaped, /%([\da-f]{2})/i), charset || "utf-8")
    escaped = ""
  }
  for (const { isEscaped, value } of [{ ...first, value: begin }, ...others]) {
    if (isEscaped) escaped += value
    else {
      flush()
      text += value
    }
  }
  flush()
  return text
}
