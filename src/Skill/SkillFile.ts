import { noRequirements, type SkillChange, SkillName, SkillText } from "@troupe/domain/Skill"
import { Either, Predicate, Record, Schema } from "effect"
import { stringify } from "yaml"
import {
  assembled,
  commas,
  headerOf,
  type KnownAs,
  limitWarnings,
  makeFields,
  makeNaming,
  toolNames,
  withFields
} from "./Library/Fields.ts"
import { type FoundTools, toolsIn } from "./ScriptTool.ts"

export interface ParsedSkill {
  readonly text: SkillText
  /** Other names under which its instructions may call it: the one in the file and its folder's. */
  readonly aliases: ReadonlyArray<string>
  /** What is not as the format says, and what was made of it. */
  readonly warnings: ReadonlyArray<string>
  readonly tools: FoundTools
}

const namedAs = makeNaming("skill", Schema.is(SkillName))

/**
 * The skill in a file. As the Agent Skills guide for clients says, only a file without front matter or description, or with
 * front matter that can't be read, is no skill; everything else loads with a warning. `folder` is the name of its folder.
 */
export const parse = (source: string, folder?: string): Either.Either<ParsedSkill, string> =>
  Either.gen(function*() {
    const { body, fields: given, warnings: repairs, yaml } = yield* headerOf(source)
    const { list, map, text, warnings } = makeFields(given)
    const description = text("description")
    if (description === null) {
      return yield* Either.left(["description is missing or empty", ...repairs].join("; "))
    }
    const written = text("name")
    const known = namedAs(written, folder)
    if (known === null) return yield* Either.left("name is missing or empty")
    const metadata = map("metadata")
    const needs = map("requirements", `nothing is checked; write it as a map of ${kinds}`)
    const own = Object.keys(needs).filter((kind) => !Object.hasOwn(noRequirements, kind))
    if (own.length > 0) warnings.push(`requirements: ${own.join(", ")} is none of ${kinds}; it is not checked`)
    const needed = makeFields(needs, "requirements.")
    const skill: SkillText = {
      name: known.name,
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
      tools: toolsIn(yaml),
      aliases: known.aliases,
      warnings: [
        ...repairs,
        ...nameWarnings(written, folder, known),
        ...warnings,
        ...needed.warnings,
        ...skill.instructions === ""
          ? ["there are no instructions below the front matter; the description is used"]
          : limitWarnings(SkillText, skill)
      ]
    }
  })

const kinds = Object.keys(noRequirements).join(", ")

const orNull = (given: unknown): string | null => typeof given === "string" && given.trim() !== "" ? given.trim() : null

const nameWarnings = (
  written: string | null,
  folder: string | undefined,
  { name }: KnownAs<SkillName>
): ReadonlyArray<string> => {
  const known = written === null
    ? [`name is missing; the skill is known as "${name}" after its folder`]
    : written === name
    ? []
    : [`name: expected 1 to 64 lower-case letters, digits and single hyphens; the skill is known as "${name}"`]
  return folder === undefined || written === null || folder === written
    ? known
    : [...known, `its folder is named "${folder}", not "${written}"`]
}

/** The text of a SKILL.md that `parse` reads as this skill, without empty fields. */
export const print = ({ instructions, ...skill }: SkillText): string => {
  const written = Object.entries(skill).flatMap(([field, value]) => {
    const content = contentOf(field, value)
    return content === null ? [] : [[nameOfField(field), content]]
  })
  return assembled(stringify(Object.fromEntries(written), { lineWidth: 0 }), instructions)
}

/** The text of a SKILL.md with the given fields changed; all others, unknown ones too, stay as they are written. */
export const edited = (source: string, { instructions, ...change }: SkillChange): string =>
  withFields(
    source,
    Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined).flatMap(([field, value]) => {
        const name = nameOfField(field)
        const written = [[name, contentOf(field, value)]]
        return field === name ? written : [...written, [field, null]]
      })
    ),
    instructions
  )

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
