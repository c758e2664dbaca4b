import { fileNameOf } from "@troupe/domain/FileName"
import { parse } from "content-disposition"
import { Either, Option } from "effect"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { decodedWords } from "../Wire/MailHeaderText.ts"

export interface Disposition {
  readonly key: string
  /** The name of a file as its sender means it; undefined for a field. */
  readonly filename: string | undefined
}

/**
 * The names in the disposition of a part of a form. Browsers write a file's name in UTF-8 with %22 for a quote, other
 * programs with `\"`, as `filename*` (RFC 8187), as encoded words of mail, percent-encoded, or with the folders of Windows.
 */
export const dispositionOf = (header: string): Disposition => {
  const { filename, "filename*": extended, name } = parse(header.replaceAll("\\\"", "%22"), {
    multipart: true,
    extended: false
  }).parameters
  const decoded = extended === undefined ? undefined : extendedValue(extended)
  const given = decoded ?? (filename === undefined ? extended : meant(filename))
  return { key: name ?? "", filename: given === undefined ? undefined : withoutFolders(given) }
}

const extendedValue = (value: string): string | undefined => {
  const [, charset, encoded] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? []
  return charset === undefined || encoded === undefined
    ? undefined
    : decodeText(percentBytes(encoded), charset || "utf-8")
}

/** Characters that are no escapes are taken as UTF-8. */
const percentBytes = (text: string): Buffer =>
  Buffer.concat(
    text.split(/(%[0-9a-f]{2})/i).map((piece, index) =>
      index % 2 === 1 ? Buffer.of(Number.parseInt(piece.slice(1), 16)) : Buffer.from(piece)
    )
  )

const meant = (given: string): string => {
  const decoded = decodedWords(given)
  return decoded === given ? percentDecoded(given) : decoded
}

/** Old programs of Windows send the whole path. */
const withoutFolders = (path: string): string =>
  /^(?:[a-z]:|\\)\\/i.test(path) ? path.slice(path.lastIndexOf("\\") + 1) : path

const decodable = Option.liftThrowable(decodeURIComponent)

/** A name with other percent signs, or that would be none, stays as it is. */
const percentDecoded = (name: string): string =>
  Option.getOrElse(
    Option.filter(decodable(name), (decoded) => Either.isRight(fileNameOf(decoded))),
    () => name
  )

/** Longer than the headers of a part may be. */
const headersBytes = 32 * 1024

/**
 * The parser of forms reads headers as UTF-8, in which names in another encoding lose characters. Finds the header again
 * in the bytes that the parser got.
 */
export const headersInAnyEncoding = () => {
  let recent: Uint8Array = Buffer.alloc(0)
  return {
    /** Call it with each piece of the body before the parser gets it. */
    keep: (piece: Uint8Array): void => {
      recent = Buffer.concat([recent.subarray(-headersBytes), piece])
    },
    /** The value of a header as its sender wrote it, by what the parser made of it. */
    original: (value: string): string => {
      if (!value.includes("\uFFFD")) return value
      const lines = Buffer.from(recent).toString("latin1").split("\r\n").map((line) => Buffer.from(line, "latin1"))
      const line = lines.findLast((line) => new TextDecoder().decode(line).endsWith(value))
      return line === undefined ? value : decodeText(line).replace(/^[^:]*:\s*/, "")
    }
  }
}
