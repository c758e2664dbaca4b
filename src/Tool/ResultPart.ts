import { excerptChars, headOf } from "@troupe/domain/Text"
import { Either, Option, Predicate, Schema } from "effect"
import { imageExtensionOf } from "../File/Documents/DocumentKind.ts"
import { decodeText } from "../Runtime/TextDecoding.ts"

export interface ResultImage {
  readonly base64: string
  readonly mediaType: string
  readonly extension: string
}

/** A part of the content of a server's result. */
export interface ResultPart {
  /** What the agent reads of it, unless it is an image that can be saved. */
  readonly words: string
  /** Its text, if it is one. */
  readonly text: string | null
  readonly image: ResultImage | null
}

const text = Schema.String
const Part = Schema.Union(
  Schema.Struct({ type: Schema.optional(Schema.Literal("text")), text }),
  Schema.Struct({ type: Schema.Literal("image", "audio"), data: text, mimeType: Schema.optional(Schema.Unknown) }),
  Schema.Struct({
    type: Schema.Literal("resource_link"),
    uri: text,
    name: Schema.optional(Schema.Unknown),
    description: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({
    type: Schema.Literal("resource"),
    resource: Schema.Struct({
      uri: Schema.optional(Schema.Unknown),
      mimeType: Schema.optional(Schema.Unknown),
      text: Schema.optional(text),
      blob: Schema.optional(text)
    }).pipe(Schema.filter((resource) => resource.text !== undefined || resource.blob !== undefined))
  })
)
type Part = typeof Part.Type
const decode = Schema.decodeUnknownOption(Part)

/** Reads a part of any kind; one that is not of the protocol is its JSON, or itself if it is a text. */
export const resultPartOf = (given: unknown): ResultPart =>
  Predicate.isString(given)
    ? textPart(given)
    : Option.match(decode(given), {
      onNone: () => ({ words: jsonOf(withoutBase64(given, 0)), text: null, image: null }),
      onSome: known
    })

const textPart = (text: string): ResultPart => ({ words: text, text, image: null })

const known = (part: Part): ResultPart => {
  switch (part.type) {
    case undefined:
    case "text":
      return textPart(part.text)
    case "image":
    case "audio": {
      const { base64, mediaType } = binaryOf(part.data, part.mimeType)
      const words = `[${part.type} (${mediaType}) of about ${bytesOf(base64)} bytes, which can't be shown.]`
      return { words, text: null, image: part.type === "image" ? imageOf(base64, mediaType) : null }
    }
    case "resource_link":
      return { words: `[Link: ${part.uri}${named(part.name)}${named(part.description)}]`, text: null, image: null }
    case "resource": {
      const { blob = "", mimeType, text, uri } = part.resource
      const name = Predicate.isString(uri) ? uri : "A resource"
      if (text !== undefined) return { words: `${name}:\n${text}`, text, image: null }
      const { base64, mediaType } = binaryOf(blob, mimeType)
      if (isTextual(mediaType)) {
        const decoded = decodeText(Buffer.from(base64, "base64"), /charset="?([^\s";]+)/i.exec(mediaType)?.[1])
        return { words: `${name}:\n${decoded}`, text: decoded, image: null }
      }
      const words = `[${name} (${mediaType}): about ${bytesOf(base64)} bytes, which can't be shown.]`
      return { words, text: null, image: imageOf(base64, mediaType) }
    }
  }
}

const unknownType = "of an unknown type"

/** Some servers send a data URL where the base64 belongs. */
const binaryOf = (data: string, mimeType: unknown) => {
  const [prefix = "", ofUrl] = /^data:([^,]*?)(?:;base64)?,/i.exec(data) ?? []
  const mediaType = Predicate.isString(mimeType) && mimeType !== "" ? mimeType : ofUrl ?? ""
  return { base64: data.slice(prefix.length), mediaType: mediaType === "" ? unknownType : mediaType.slice(0, 100) }
}

const imageOf = (base64: string, mediaType: string): ResultImage | null => {
  const extension = imageExtensionOf(mediaType.replace(/;.*/, "").trim().toLowerCase().replace("/jpg", "/jpeg"))
  return extension === undefined ? null : { base64, mediaType, extension }
}

const isTextual = (mediaType: string): boolean =>
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|csv)\b/i.test(mediaType)

const bytesOf = (base64: string): number => Math.floor(base64.length * 0.75)

const named = (value: unknown): string => (Predicate.isString(value) && value !== "" ? `, ${value.slice(0, 500)}` : "")

const maxDepth = 20
const minBase64 = 1_000

/** Binary content in an unknown part would take the place of everything else. */
const withoutBase64 = (value: unknown, depth: number): unknown => {
  if (Predicate.isString(value)) {
    return value.length >= minBase64 && /^(?:data:[^,]*,)?[A-Za-z0-9+/_-]+={0,2}$/.test(value)
      ? `[about ${bytesOf(value)} bytes, which can't be shown]`
      : value
  }
  if (!Predicate.isObject(value) || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => withoutBase64(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBase64(item, depth + 1)]))
}

export const jsonText = (value: unknown, indent: number): string =>
  Either.getOrElse(
    Either.try(() => JSON.stringify(value, null, indent)),
    () => "[The answer is nested too deep to be shown.]"
  )

/** A value as JSON, a text as it is. No more than this can be shown; the toolbox cuts the rest. */
export const jsonOf = (value: unknown): string =>
  Predicate.isString(value) ? value : headOf(jsonText(value, 1), 100 * excerptChars)

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

/** The value in a text that is JSON, also in a block of code. */
export const jsonIn = (text: string): Option.Option<unknown> =>
  parseJson(text.trim().replace(/^```\w*\n([\s\S]*)\n```$/, "$1"))
