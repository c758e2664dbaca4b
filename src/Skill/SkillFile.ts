import { noRequirements, type SkillName, SkillText } from "@troupe/domain/Skill"
import { Either, ParseResult, Predicate, Record, Schema } from "effect"
import { type Document, isMap, isScalar, type Node, parseDocument, stringify } from "yaml"

/** A SKILL.md is part of a system prompt, so no more than a model can be asked to read. */
export const maxFileBytes = 128 * 1024

const Written = Schema.String.pipe(Schema.filter((text) => text.trim() !== "", { message: () => "a text" }))

/** People write lists as lists and as texts; a lone number is a text too. */
const List = Schema.Union(Schema.Array(Schema.String), Schema.String).annotations({
  message: () => ({ message: "a text, or a list of texts", override: true })
})

const Header = Schema.Struct({
  name: Written,
  description: Written,
  license: Schema.optional(Schema.String),
  compatibility: Schema.optional(Schema.String),
  metadata: Schema.optional(
    Schema.Union(Schema.Record({ key: Schema.String, value: Schema.Unknown }), Schema.Literal(""))
  ),
  "allowed-tools": Schema.optional(List),
  allowed_tools: Schema.optional(List),
  tags: Schema.optional(List),
  author: Schema.optional(Schema.String),
  version: Schema.optional(Schema.String),
  requirements: Schema.optional(Schema.Union(
    Schema.Struct(Record.map(noRequirements, () => Schema.optional(List))),
    Schema.Literal("")
  ))
})

const decodeHeader = Schema.decodeUnknownEither(Header, { errors: "first" })
const decodeText = Schema.decodeUnknownEither(SkillText, { errors: "first" })

const issueOf = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (issue === undefined) return "it doesn't fit the format"
  const path = issue.path.map(String).join(".")
  return issue._tag === "Missing"
    ? `${path} is missing`
    : `${path}: expected ${issue.message.replace(/^Expected /, "")}`
}

const commas = (text: string) => text.split(",")

/** `Read, Bash(git status)` and `Read Bash(git:*)`: a pattern in brackets belongs to its name. */
const toolNames = (text: string) => text.match(/(?:\([^)]{0,256}\)|[^\s,(])+/g) ?? []

const listOf = (given: typeof List.Type | undefined, split: (text: string) => ReadonlyArray<string>) => {
  const texts = typeof given === "string" ? split(given) : given ?? []
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))]
}

const orNull = (given: unknown): string | null => typeof given === "string" && given.trim() !== "" ? given.trim() : null

export const parse = (source: string): Either.Either<SkillText, string> =>
  Either.gen(function*() {
    if (source.includes("\0")) return yield* Either.left("it contains a NUL character")
    const { body, yaml } = splitFrontMatter(source)
    if (yaml === null) return yield* Either.left("it must begin with YAML front matter between two lines of ---")
    const fields = yield* valueOf(yaml)
    if (!Predicate.isRecord(fields)) return yield* Either.left("the front matter must be names with values")
    const header = yield* Either.mapLeft(decodeHeader(fields), issueOf)
    const instructions = body.trim()
    if (instructions === "") return yield* Either.left("there are no instructions below the front matter")
    const needs = Predicate.isRecord(header.requirements) ? header.requirements : {}
    const metadata = Predicate.isRecord(header.metadata) ? header.metadata : {}
    return yield* Either.mapLeft(
      decodeText({
        name: header.name.trim(),
        description: header.description.trim(),
        license: orNull(header.license),
        compatibility: orNull(header.compatibility),
        metadata,
        allowed_tools: listOf(header["allowed-tools"] ?? header.allowed_tools, toolNames),
        tags: listOf(header.tags, commas).map((tag) => tag.toLowerCase()),
        author: orNull(header.author) ?? orNull(metadata["author"]),
        version: orNull(header.version) ?? orNull(metadata["version"]),
        requirements: Record.map(noRequirements, (_, kind) => listOf(needs[kind], commas)),
        instructions
      }),
      issueOf
    )
  })

/** Fields of a SKILL.md that `print` copies: those unknown to this service, and metadata. */
export type KeptFields = Readonly<Record<string, Node>>

/** The fields to keep of a SKILL.md whose other ones are rewritten. */
export const keptFields = (source: string): KeptFields => {
  const { contents } = documentOf(splitFrontMatter(source).yaml ?? "", "core")
  if (!isMap<unknown, Node | null>(contents)) return {}
  return Object.fromEntries(contents.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ""
    const isKept = name === "metadata" ? isMap(value) && value.items.length > 0 : !Object.hasOwn(Header.fields, name)
    return isKept && value !== null ? [[name, value] as const] : []
  }))
}

/** The text of a SKILL.md that `parse` reads as this skill, without empty fields. */
export const print = (skill: SkillText, kept: KeptFields = {}): string => {
  const { allowed_tools, author, compatibility, description, instructions, license, metadata, name, requirements } =
    skill
  const header = {
    name,
    description,
    license,
    compatibility,
    "allowed-tools": allowed_tools,
    tags: skill.tags,
    author,
    version: skill.version,
    requirements: Object.fromEntries(Object.entries(requirements).filter(([, needed]) => needed.length > 0)),
    metadata
  }
  const written = Object.fromEntries(Object.entries(header).filter(([, value]) => !isEmpty(value)))
  return `---\n${stringify({ ...written, ...kept }, { lineWidth: 0 })}---\n\n${instructions}\n`
}

const isEmpty = (value: unknown): boolean =>
  value === null || Predicate.isReadonlyRecord(value) && Object.keys(value).length === 0
  || Array.isArray(value) && value.length === 0

export const blank = (name: SkillName, description: string, instructions: string): SkillText => ({
  name,
  description,
  license: null,
  compatibility: null,
  metadata: {},
  allowed_tools: [],
  tags: [],
  author: null,
  version: null,
  requirements: noRequirements,
  instructions
})

const pattern = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/

/** Splits a markdown file with optional YAML front matter; `yaml` is null without. */
export const splitFrontMatter = (source: string): { readonly yaml: string | null; readonly body: string } => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const found = pattern.exec(text)
  return found === null ? { yaml: null, body: text } : { yaml: found[1] ?? "", body: text.slice(found[0].length) }
}

export const documentOf = (yaml: string, schema: "failsafe" | "core"): Document.Parsed =>
  parseDocument(yaml, { schema, logLevel: "silent", prettyErrors: true, uniqueKeys: true })

/** Scalars stay texts as written: a version 1.0 is "1.0". Aliases and custom tags are refused. */
export const valueOf = (yaml: string): Either.Either<unknown, string> => {
  const document = documentOf(yaml, "failsafe")
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) return Either.left(`the front matter is no YAML: ${problem.message.split("\n")[0]}`)
  return Either.try({
    try: () => document.toJS({ maxAliasCount: 0 }),
    catch: () => "the front matter must not use YAML aliases"
  })
}
