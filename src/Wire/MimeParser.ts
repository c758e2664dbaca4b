import PostalMime from "postal-mime"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { headerInUtf8, isJapanese } from "./MailHeaderText.ts"
import { decodedUu } from "./Uuencoding.ts"

interface MimeHeader {
  readonly parsed: { readonly value: string; readonly params: Record<string, string> }
}

interface MimePart {
  readonly state: "header" | "body" | "finished"
  readonly contentType: MimeHeader
  readonly contentDisposition: MimeHeader
  readonly contentTransferEncoding: { readonly encoding: string }
  content: ArrayBuffer | Uint8Array | null
}

const lineFeed = 10
const carriageReturn = 13
const space = 32
const tab = 9
const dash = 45
const equals = 61

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab

/**
 * The package's parser, where texts in any encoding, labelled or not, are read as `decodeText` reads them. It relies on
 * parts of the package that are not documented; the tests of `MailParser` fail without them.
 */
export class MimeParser extends PostalMime {
  declare readonly av: Uint8Array<ArrayBuffer>
  declare readPos: number
  declare readonly currentNode: MimePart
  #hasText = false
  #charset: string | null = null

  /** The next line; one header is one line, in UTF-8. */
  readLine(): { readonly bytes: Uint8Array; readonly done: boolean } {
    const first = this.#next()
    let bytes = first
    if (this.currentNode.state === "header") {
      const lines = [first]
      // Neither an empty line, which ends the headers, nor a boundary has further lines.
      if (first.length > 0 && !(first[0] === dash && first[1] === dash)) {
        while (isBlank(this.av[this.readPos])) lines.push(this.#next())
      }
      bytes = headerInUtf8(Buffer.concat(lines), this.#charset ??= charsetIn(this.av))
    } else if (this.currentNode.contentTransferEncoding.encoding === "quoted-printable") {
      bytes = first.subarray(0, softBreakEnd(first))
    }
    return { bytes, done: this.readPos >= this.av.length }
  }

  #next(): Uint8Array {
    const start = this.readPos
    const found = this.av.indexOf(lineFeed, start)
    this.readPos = found === -1 ? this.av.length : found + 1
    let end = found === -1 ? this.av.length : found
    while (end > start && this.av[end - 1] === carriageReturn) end--
    return this.av.subarray(start, end)
  }

  /** The parser asks before it reads a part. */
  isInlineTextNode(part: MimePart): boolean {
    const { contentDisposition: { parsed: disposition }, contentType: { parsed: type } } = part
    const content = new Uint8Array(part.content ?? [])
    const body = /^(?:x-)?uu/.test(part.contentTransferEncoding.encoding) ? decodedUu(content) ?? content : content
    if (body !== content) part.content = body
    const isText = disposition.value !== "attachment" && /^text\/(?:plain|html)$/.test(type.value)
    if (isText || type.value === "text/calendar" || type.value === "application/ics") {
      part.content = Buffer.from(decodeText(body, labelOf(body, type.value, type.params["charset"])))
      type.params["charset"] = "utf-8"
    }
    if (!isText) return false
    // A further text with a file name is an attachment: nobody says that the sender wrote it.
    const isFile = this.#hasText && (disposition.params["filename"] ?? type.params["name"] ?? "") !== ""
    this.#hasText = true
    return !isFile
  }
}

/** Some programs leave spaces after the sign of a soft line break, where others add them. */
const softBreakEnd = (line: Uint8Array): number => {
  let end = line.length
  while (end > 0 && isBlank(line[end - 1])) end--
  return line[end - 1] === equals ? end : line.length
}

const headBytes = 16 * 1_024

/** The first character set that the mail names: the best guess for 8-bit characters of its headers. */
const charsetIn = (source: Uint8Array): string =>
  charsetOf(Buffer.from(source.subarray(0, headBytes)).toString("latin1")) ?? "utf-8"

const charsetOf = (text: string): string | null => /\bcharset\s*=[\s"']*([\w.:-]+)/i.exec(text)?.[1] ?? null

/** The label of a text; HTML may name its character set itself, and programs that know none say ASCII or nothing. */
const labelOf = (body: Uint8Array, type: string, charset = ""): string => {
  const given = charset.replaceAll(/["'\s]/g, "").toLowerCase()
  if (given !== "" && given !== "us-ascii" && given !== "ascii") return given
  const beginning = Buffer.from(body.subarray(0, headBytes)).toString("latin1")
  if (isJapanese(beginning)) return "iso-2022-jp"
  const own = type === "text/html" ? charsetOf(beginning.match(/<meta\b[^>]*/gi)?.join(" ") ?? "") : null
  return own === null || /^utf/i.test(own) ? "utf-8" : own
}
