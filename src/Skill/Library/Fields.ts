import { Either, ParseResult, Predicate, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { decodeText } from "../../Runtime/TextDecoding.ts"
import { documentOf, repaired, splitFrontMatter, valueOf } from "./FrontMatter.ts"

export interface Header {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
  /** The front matter as it is read. */
  readonly yaml: string
  readonly warnings: ReadonlyArray<string>
}

/** Never a list or a map, so a `#`, `{` or `[` in it is a character of the text. */
const plainTexts = new Set(["description"])

/** The fields and the body of a file, or why it defines nothing. */
export const headerOf = (source: string): Either.Either<Header, string> =>
  Either.gen(function*() {
    if (source.includes("\0")) return yield* Either.left("it contains a NUL character")
    const { body, yaml } = splitFrontMatter(source)
    if (yaml === null) return yield* Either.left("it must begin with YAML front matter between two lines of ---")
    const header = repaired(yaml, plainTexts)
    const fields = yield* valueOf(header.yaml)
    return Predicate.isRecord(fields)
      ? { fields, body, yaml: header.yaml, warnings: header.warnings }
      : yield* Either.left("the front matter must be names with values")
  })

/** Parses the bytes of a file; one that is not UTF-8 gets a warning. */
export const parseBytes = <A extends { readonly warnings: ReadonlyArray<string> }>(
  bytes: Uint8Array,
  parse: (source: string) => Either.Either<A, string>
): Either.Either<A, string> =>
  Either.map(parse(decodeText(bytes)), (parsed) =>
    isUtf8(bytes)
      ? parsed
      : { ...parsed, warnings: ["the file is not UTF-8, so its characters were guessed", ...parsed.warnings] })

/** A file with some fields and its body changed; all other fields, unknown ones too, stay as they are written. Null deletes. */
export const withFields = (
  source: string,
  change: Readonly<Record<string, unknown>>,
  instructions: string | undefined
): string => {
  const { body, yaml } = splitFrontMatter(source)
  const document = documentOf(repaired(yaml ?? "", plainTexts).yaml, "core")
  for (const [name, content] of Object.entries(change)) {
    if (content === null) document.delete(name)
    else document.set(name, document.createNode(content))
  }
  return assembled(document.toString({ lineWidth: 0 }), instructions ?? body.trim())
}

export const assembled = (yaml: string, instructions: string) => `---\n${yaml}---\n\n${instructions}\n`

export const commas = (text: string) => text.split(",")

/** `Read, Bash(git status)` and `Read Bash(git:*)`: a pattern in brackets belongs to its name. */
export const toolNames = (text: string) => text.match(/(?:\([^)]{0,256}\)|[^\s,(])+/g) ?? []

/** The words of a value of any type. */
const wordsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim()]
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  return Predicate.isRecord(value) ? Object.values(value).flatMap(wordsOf) : []
}

const typeOf = (value: unknown) => typeof value === "string" ? "a text" : Array.isArray(value) ? "a list" : "a map"

/** Reads fields by their expected types, and collects a warning for each that has another one. */
export const makeFields = (given: Readonly<Record<string, unknown>>, prefix = "") => {
  const warnings: Array<string> = []
  const warn = (name: string, expected: string, read: string) =>
    warnings.push(`${prefix}${name}: it is ${typeOf(given[name])}, not ${expected}; ${read}`)
  const quoted = (words: ReadonlyArray<string>) => JSON.stringify(words.join(", ").slice(0, 200))
  const has = (name: string) => Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined
  const text = (name: string): string | null => {
    const value = has(name) ? given[name] : ""
    const words = wordsOf(value)
    if (typeof value !== "string") warn(name, "a text", `it was read as ${quoted(words)}`)
    return words.length === 0 ? null : words.join(", ")
  }
  return {
    warnings,
    text,
    list: (name: string, split: (text: string) => ReadonlyArray<string>): ReadonlyArray<string> => {
      const value = has(name) ? given[name] : ""
      if (Array.isArray(value) && value.every(Predicate.isString)) return unique(value)
      // The names of a map are its items: `Read: true`.
      const words = Predicate.isRecord(value) ? Object.keys(value) : wordsOf(value)
      if (typeof value !== "string") warn(name, "a text or a list of texts", `it was read as ${quoted(words)}`)
      return unique(typeof value === "string" ? words.flatMap(split) : words)
    },
    map: (name: string, read = "it is not used"): Readonly<Record<string, unknown>> => {
      const value = has(name) ? given[name] : ""
      if (Predicate.isRecord(value)) return value
      if (wordsOf(value).length > 0) warn(name, "a map", read)
      return {}
    },
    /** Null for a field that is missing, or that the schema refuses; a refusal is a warning. */
    number: (name: string, schema: Schema.Schema<number>): number | null => {
      const written = text(name)
      if (written === null) return null
      const given = Number(written)
      return Either.match(Schema.decodeUnknownEither(schema)(given), {
        onRight: (value) => value,
        onLeft: (error) => {
          const expected = Number.isNaN(given) ? "a number such as 50000 or 0.5" : expectedIn(error)
          warnings.push(`${prefix}${name}: expected ${expected}; it is not used`)
          return null
        }
      })
    }
  }
}

const expectedIn = (error: ParseResult.ParseError) =>
  ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message.replace(/^Expected /, "") ?? "another value"

export const unique = (texts: ReadonlyArray<string>) =>
  [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== "")

/** What is wrong with values, field by field. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<string> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
    `${path.map(String).join(".")}: expected ${message.replace(/^Expected /, "")}`
  )

/** Warnings about values beyond the limits of the API. A file may have such values, and they are used as they are. */
export const limitWarnings = <A, I>(schema: Schema.Schema<A, I>, given: unknown): ReadonlyArray<string> =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(given), {
    onRight: () => [],
    onLeft: (error) => issuesOf(error).map((issue) => `${issue}; it is used as it is`)
  })

export interface KnownAs<Name> {
  readonly name: Name
  /** Other names under which instructions may call it: the one in the file and its entry's. */
  readonly aliases: ReadonlyArray<string>
}

const latin = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/**
 * Makes the kebab-case name of a definition from the name in its file, or, if the file has none, from the name of its entry. It leaves out
 * letters that are not Latin, and then adds a digest of the whole name, so that two names that differ only in such letters stay different.
 */
export const makeNaming = <Name extends string>(noun: string, isName: (text: string) => text is Name) => {
  const slugOf = (text: string): Name | null => {
    const slug = (latin(text).match(/[a-z0-9]+/g) ?? []).join("-").slice(0, 64).replace(/-$/, "")
    return isName(slug) ? slug : null
  }
  const wholeSlugOf = (text: string): Name | null =>
    /[\p{L}\p{N}]/u.test(latin(text).replace(/[a-z0-9]+/g, "")) ? null : slugOf(text)
  return (written: string | null, entry: string | undefined): KnownAs<Name> | null => {
    const given = written ?? entry
    if (given === undefined) return null
    const digest = createHash("sha256").update(given).digest("hex").slice(0, 8)
    const name = wholeSlugOf(given) ?? wholeSlugOf(entry ?? "") ??
      slugOf(`${slugOf(given)?.slice(0, 55) ?? noun}-${digest}`)
    return name === null ? null : {
      name,
      aliases: [...new Set([written, entry, slugOf(given)])].filter(Predicate.isString).filter((alias) =>
        alias !== name
      )
    }
  }
}
