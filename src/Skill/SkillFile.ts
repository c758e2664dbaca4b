import { noRequirements, type SkillChange, SkillName, SkillText } from "@troupe/domain/Skill"
import { Either, ParseResult, Predicate, Record, Schema } from "effect"
import { createHash } from "node:crypto"
import { stringify } from "yaml"
import { documentOf, repaired, splitFrontMatter, valueOf } from "./FrontMatter.ts"

/** A SKILL.md is part of a system prompt, so no more than a model can be asked to read. */
export const maxFileBytes = 128 * 1024

export interface ParsedSkill {
  readonly text: SkillText
  /** Other names under which its instructions may call it: the one in the file and its folder's. */
  readonly aliases: ReadonlyArray<string>
  /** What is not as the format says, and what was made of it. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * The skill in a file. As the Agent Skills guide for clients says, only a file without front matter or description, or with
 * front matter that can't be read, is no skill; everything else loads with a warning. `folder` is the name of its folder.
 */
export const parse = (source: string, folder?: string): Either.Either<ParsedSkill, string> =>
  Either.gen(function*() {
    if (source.includes("\0")) return yield* Either.left("it contains a NUL character")
    const { body, yaml } = splitFrontMatter(source)
    if (yaml === null) return yield* Either.left("it must begin with YAML front matter between two lines of ---")
    const header = repaired(yaml, plainTexts)
    const given = yield* valueOf(header.yaml)
    if (!Predicate.isRecord(given)) return yield* Either.left("the front matter must be names with values")
    const { list, map, text, warnings } = makeFields(given)
    const description = text("description")
    if (description === null) {
      return yield* Either.left(["description is missing or empty", ...header.warnings].join("; "))
    }
    const written = text("name")
    const name = nameOf(written, folder)
    if (name === null) return yield* Either.left("name is missing or empty")
    const metadata = map("metadata")
    const needs = map("requirements", `nothing is checked; write it as a map of ${kinds}`)
    const own = Object.keys(needs).filter((kind) => !Object.hasOwn(noRequirements, kind))
    if (own.length > 0) warnings.push(`requirements: ${own.join(", ")} is none of ${kinds}; it is not checked`)
    const needed = makeFields(needs, "requirements.")
    const skill: SkillText = {
      name,
      description,
      license: text("license"),
      compatibility: text("compatibility"),
      metadata,
      allowed_tools: list(given["allowed-tools"] === undefined ? "allowed_tools" : "allowed-tools", toolNames),
      tags: list("tags", commas).map((tag) => tag.toLowerCase()),
      author: text("author") ?? orNull(metadata["author"]),
      version: text("version") ?? orNull(metadata["version"]),
      requirements: Record.map(noRequirements, (_, kind) => needed.list(kind, commas)),
      instructions: body.trim()
    }
    return {
      text: skill,
      aliases: [...new Set([written, folder])].filter(Predicate.isString).filter((alias) => alias !== name),
      warnings: [
        ...header.warnings,
        ...nameWarnings(written, folder, name),
        ...warnings,
        ...needed.warnings,
        ...limitWarnings(skill)
      ]
    }
  })

/** Never a list or a map, so a `#`, `{` or `[` in it is a character of the text. */
const plainTexts = new Set(["description"])

const kinds = Object.keys(noRequirements).join(", ")

const commas = (text: string) => text.split(",")

/** `Read, Bash(git status)` and `Read Bash(git:*)`: a pattern in brackets belongs to its name. */
const toolNames = (text: string) => text.match(/(?:\([^)]{0,256}\)|[^\s,(])+/g) ?? []

const orNull = (given: unknown): string | null => typeof given === "string" && given.trim() !== "" ? given.trim() : null

/** The words of a value of any type. */
const wordsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim()]
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  return Predicate.isRecord(value) ? Object.values(value).flatMap(wordsOf) : []
}

const typeOf = (value: unknown) => typeof value === "string" ? "a text" : Array.isArray(value) ? "a list" : "a map"

/** Reads fields as what they should be, and notes which ones are not. */
const makeFields = (given: Readonly<Record<string, unknown>>, prefix = "") => {
  const warnings: Array<string> = []
  const warn = (name: string, expected: string, read: string) =>
    warnings.push(`${prefix}${name}: it is ${typeOf(given[name])}, not ${expected}; ${read}`)
  const quoted = (words: ReadonlyArray<string>) => JSON.stringify(words.join(", ").slice(0, 200))
  const has = (name: string) => Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined
  return {
    warnings,
    text: (name: string): string | null => {
      const value = has(name) ? given[name] : ""
      const words = wordsOf(value)
      if (typeof value !== "string") warn(name, "a text", `it was read as ${quoted(words)}`)
      return words.length === 0 ? null : words.join(", ")
    },
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
    }
  }
}

const unique = (texts: ReadonlyArray<string>) =>
  [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== "")

const isName = Schema.is(SkillName)

const slugOf = (text: string): SkillName | null => {
  const words = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join("-").slice(0, 64).replace(/-$/, "")
  return isName(slug) ? slug : null
}

/** A name in another alphabet has a digest as its name. */
const nameOf = (written: string | null, folder: string | undefined): SkillName | null => {
  const given = written ?? folder
  if (given === undefined) return null
  return slugOf(given) ?? slugOf(folder ?? "")
    ?? slugOf(`skill-${createHash("sha256").update(given).digest("hex").slice(0, 8)}`)
}

const nameWarnings = (written: string | null, folder: string | undefined, name: SkillName): ReadonlyArray<string> => {
  const known = written === null
    ? [`name is missing; the skill is known as "${name}" after its folder`]
    : written === name
    ? []
    : [`name: expected 1 to 64 lower-case letters, digits and single hyphens; the skill is known as "${name}"`]
  return folder === undefined || written === null || folder === written
    ? known
    : [...known, `its folder is named "${folder}", not "${written}"`]
}

const decodeText = Schema.decodeUnknownEither(SkillText, { errors: "all" })

const limitWarnings = (skill: SkillText): ReadonlyArray<string> => {
  if (skill.instructions === "") return ["there are no instructions below the front matter; the description is used"]
  return Either.match(decodeText(skill), {
    onRight: () => [],
    onLeft: (error) => issuesOf(error).map((issue) => `${issue}; it is used as it is`)
  })
}

/** What is wrong with values, field by field. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<string> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
    `${path.map(String).join(".")}: expected ${message.replace(/^Expected /, "")}`
  )

/** The text of a SKILL.md that `parse` reads as this skill, without empty fields. */
export const print = ({ instructions, ...skill }: SkillText): string => {
  const written = Object.entries(skill).flatMap(([field, value]) => {
    const content = contentOf(field, value)
    return content === null ? [] : [[nameOfField(field), content]]
  })
  return assembled(stringify(Object.fromEntries(written), { lineWidth: 0 }), instructions)
}

/** The text of a SKILL.md with the given fields changed; all others, unknown ones too, stay as they are written. */
export const edited = (source: string, { instructions, ...change }: SkillChange): string => {
  const { body, yaml } = splitFrontMatter(source)
  const document = documentOf(repaired(yaml ?? "", plainTexts).yaml, "core")
  for (const [field, value] of Object.entries(change)) {
    if (value === undefined) continue
    const name = nameOfField(field)
    const content = contentOf(field, value)
    if (content === null) document.delete(name)
    else document.set(name, document.createNode(content))
    if (field !== name) document.delete(field)
  }
  return assembled(document.toString({ lineWidth: 0 }), instructions ?? body.trim())
}

const assembled = (yaml: string, instructions: string) => `---\n${yaml}---\n\n${instructions}\n`

const nameOfField = (field: string) => field === "allowed_tools" ? "allowed-tools" : field

/** A value as it is written; null for an empty one. Of requirements only the kinds that are given. */
const contentOf = (field: string, value: unknown): unknown => {
  const content = field === "requirements" && Predicate.isRecord(value)
    ? Record.filter(value, (needed) => !Array.isArray(needed) || needed.length > 0)
    : value
  const isEmpty = content === null || (Array.isArray(content) && content.length === 0)
    || (Predicate.isRecord(content) && Object.keys(content).length === 0)
  return isEmpty ? null : content
}

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
