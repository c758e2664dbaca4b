import { Option } from "effect"
import iconv from "iconv-lite"
import { isUtf8 } from "node:buffer"

/** The standard's name of an encoding (encoding.spec.whatwg.org) for any of its labels. */
const standardName = Option.liftThrowable((label: string) => new TextDecoder(label).encoding)

/** As `latin1`, `us-ascii` and their like, it is what people's programs mean by windows-1252. */
const western = "windows-1252"

/** A text in one of these may be valid UTF-8 by chance, since their characters have several bytes, too. */
const multibyte = /^(?:utf-|gb|big5|euc-|shift_jis|iso-2022-)/

/** Names that mail programs use and that no list has. */
const aliases: Readonly<Record<string, string>> = { "unicode-1-1-utf-7": "utf-7", "x-unicode-1-1-utf-7": "utf-7" }

const byteOrderMarkOf = ([first, second, third]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | null =>
  first === 0xef && second === 0xbb && third === 0xbf
    ? "utf-8"
    : first === 0xff && second === 0xfe
    ? "utf-16le"
    : first === 0xfe && second === 0xff
    ? "utf-16be"
    : null

/** Bytes of a file by which its encoding is recognized. */
const headBytes = 4_096

const controls = /(?!\s)\p{Cc}|\uFFFD/u

/**
 * The name of UTF-16, if the bytes are that: by their byte order mark, or as many of every second byte are
 * zero and few others. Other programs than spreadsheets leave the mark out.
 */
export const wideEncodingOf = (bytes: Uint8Array): "utf-16le" | "utf-16be" | null => {
  const mark = byteOrderMarkOf(bytes)
  if (mark !== null) return mark === "utf-8" ? null : mark
  const head = bytes.subarray(0, headBytes)
  const zeros = (at: number) => head.filter((byte, index) => byte === 0 && index % 2 === at).length
  const difference = zeros(0) - zeros(1)
  if (head.length % 2 === 1 || difference === 0) return null
  // UTF-8 may contain a zero now and then, as a file may that was cut or padded; other control characters it has not.
  const isUtf8Text = isUtf8(head) && !head.some((byte) => byte > 0 && byte < 9)
  if (isUtf8Text && Math.abs(difference) * 8 < head.length * 3) return null
  const encoding = difference > 0 ? "utf-16be" : "utf-16le"
  // A pair of surrogates may continue behind the head.
  return controls.test(new TextDecoder(encoding).decode(head, { stream: true })) ? null : encoding
}

/** Letters in the middle of words in cp850, where windows-1252 has no letters; quotes and dashes may be there, too. */
const dosLetters = /(?<=[A-Za-z])[\x82-\x84\x86-\x89\x8B\x94\x95\x98\x99\xA1-\xA4](?=[A-Za-z])|[\x81\x8D\x8F\x90\x9D]/g
/** Letters of windows-1252 in the middle of words, without the byte that is ß in cp850. */
const westernLetters = /(?<=[A-Za-z])[\xC0-\xE0\xE2-\xFF](?=[A-Za-z])/g

/** The encoding of a text that is not UTF-8 and has no label: that of old DOS programs, or windows-1252. */
const singleByteEncodingOf = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes.subarray(0, headBytes * 16)).toString("latin1")
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0
  return count(dosLetters) > count(westernLetters) ? "cp850" : western
}

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80)

/** Damaged UTF-8, such as a text that was cut, has more whole characters than broken ones; another encoding has not. */
const isMostlyUtf8 = (text: string): boolean => {
  const broken = text.match(/\uFFFD/g)?.length ?? 0
  return broken === 0 || (text.match(/[^\0-\x7F\uFFFD]/gu)?.length ?? 0) > broken
}

/**
 * The text of `bytes` in the encoding that `label` names, as the standard's labels and those of older programs (cp850,
 * utf-7) do; none for a name that nobody knows.
 *
 * Node 20 decodes windows-1252, with all of its labels, to control characters where the quotes, dashes and the euro sign
 * are (nodejs/node#56542): iconv-lite decodes it here.
 */
export const decodeAs = (bytes: Uint8Array, label: string): Option.Option<string> => {
  const name = label.trim().toLowerCase()
  const encoding = Option.getOrElse(standardName(name), () => aliases[name] ?? name)
  if (encoding !== western && Option.isSome(standardName(encoding))) {
    return Option.some(new TextDecoder(encoding).decode(bytes))
  }
  return iconv.encodingExists(encoding) ? Option.some(iconv.decode(Buffer.from(bytes), encoding)) : Option.none()
}

/**
 * The text of `bytes` in whatever encoding they are: a byte order mark decides; UTF-8 is read as such also where the
 * label says otherwise or there is none; then the label counts. Without a usable one it is UTF-16 if the zeros in it say
 * so, cp850 if the words of the text are only so, else windows-1252.
 */
export const decodeText = (bytes: Uint8Array, label = "utf-8"): string => {
  const mark = byteOrderMarkOf(bytes) ?? wideEncodingOf(bytes)
  if (mark !== null) return new TextDecoder(mark).decode(bytes)
  const encoding = Option.getOrElse(standardName(label.trim()), () => label.trim().toLowerCase())
  if (encoding !== "utf-8" && (multibyte.test(encoding) || isAscii(bytes) || !isUtf8(bytes))) {
    return Option.getOrElse(decodeAs(bytes, label), () => decodeText(bytes))
  }
  const text = new TextDecoder().decode(bytes)
  return isMostlyUtf8(text) ? text : Option.getOrElse(decodeAs(bytes, singleByteEncodingOf(bytes)), () => text)
}
