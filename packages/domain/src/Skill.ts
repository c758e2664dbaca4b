import { Schema } from "effect"
import { boundedText } from "./BoundedText.ts"
import { ToolClass } from "./Policy.ts"
import { Timestamp } from "./Timestamp.ts"

/** Also the name of the skill's folder, so it can't lead out of the skills folder. */
export const SkillName = Schema.String.pipe(
  Schema.pattern(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/, {
    message: () => "1 to 64 lower-case letters, digits and single hyphens, such as weekly-report"
  }),
  Schema.brand("SkillName")
).annotations({ description: "Skill name, kebab-case" })
export type SkillName = typeof SkillName.Type

const text = (max: number) => boundedText(max, `a text of 1 to ${max} characters`)

const items = Schema.Array(text(128)).pipe(Schema.maxItems(64, { message: () => "at most 64 items" }))

const requirementsOf = (items: Schema.Schema<ReadonlyArray<string>>) =>
  Schema.Struct({
    bins: items.annotations({ description: "Programs on the PATH" }),
    env: items.annotations({ description: "Environment variables that must be set" }),
    python: items.annotations({ description: "Python packages" }),
    node: items.annotations({ description: "Node packages" }),
    platform: items.annotations({ description: "Platforms, one of which is enough: linux, darwin, win32" })
  })

/** Of files, too, which have no limits. */
const strings = Schema.Array(Schema.String)

export const SkillRequirements = requirementsOf(strings).annotations({ identifier: "SkillRequirements" })
export type SkillRequirements = typeof SkillRequirements.Type

const limitedRequirements = requirementsOf(items)

export const noRequirements: SkillRequirements = { bins: [], env: [], python: [], node: [], platform: [] }

/** What a skill may be written with through the API. One that is read from a file may be beyond the limits. */
export const SkillText = Schema.Struct({
  name: SkillName,
  description: text(1024).annotations({ description: "What the skill does and when to use it" }),
  license: Schema.NullOr(text(512)).annotations({ description: "Its licence" }),
  compatibility: Schema.NullOr(text(512)).annotations({ description: "The environments it is made for" }),
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "Other fields, unchanged"
  }),
  allowed_tools: items.annotations({ description: "Tools that the skill needs; parts of names are enough" }),
  tags: items.annotations({ description: "A request that contains one of them matches" }),
  author: Schema.NullOr(text(256)).annotations({ description: "Who wrote it" }),
  version: Schema.NullOr(text(64)).annotations({ description: "Its author's version" }),
  requirements: limitedRequirements,
  instructions: text(100_000).annotations({ description: "Markdown that is added to the system prompt" })
})
export type SkillText = typeof SkillText.Type

const optionalFields = Schema.extend(
  Schema.partial(SkillText.omit("name", "description", "instructions", "requirements")),
  Schema.Struct({
    requirements: Schema.optional(
      Schema.partialWith(limitedRequirements, { exact: true }).annotations({ description: "What its scripts need" })
    )
  })
)

export const SkillDraft = Schema.extend(SkillText.pick("name", "description", "instructions"), optionalFields)
  .annotations({ identifier: "SkillCreateRequest" })
export type SkillDraft = typeof SkillDraft.Type

export const SkillChange = Schema.extend(Schema.partial(SkillText.pick("description", "instructions")), optionalFields)
  .annotations({ identifier: "SkillUpdateRequest" })
export type SkillChange = typeof SkillChange.Type

/** `built-in`: comes with the service and is never written; `custom`: in `SKILLS_PATH`. */
export const SkillSource = Schema.Literal("built-in", "custom")
export type SkillSource = typeof SkillSource.Type

export const SkillTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Agents call it as <skill>__<name>" }),
  description: Schema.String.annotations({ description: "What it does and when to use it, for the model" }),
  script: Schema.String.annotations({ description: "A file in scripts/, by its path in it" }),
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "The JSON Schema of its arguments, an object"
  }),
  class: ToolClass.annotations({ description: "What a call changes" })
}).annotations({ identifier: "SkillTool", description: "A script of a skill that is offered as a tool" })
export type SkillTool = typeof SkillTool.Type

export const SkillSummary = Schema.Struct({
  name: SkillName,
  description: Schema.String.annotations({ description: "What the skill does and when to use it" }),
  tags: strings.annotations({ description: "A request that contains one of them matches" }),
  author: Schema.NullOr(Schema.String).annotations({ description: "Who wrote it" }),
  version: Schema.NullOr(Schema.String).annotations({ description: "Its author's version" }),
  allowed_tools: strings.annotations({ description: "Tools that the skill needs; parts of names are enough" }),
  requirements_met: Schema.Boolean.annotations({ description: "This machine has everything that it requires" }),
  source: SkillSource.annotations({ description: "built-in: comes with the service; custom: of SKILLS_PATH" }),
  tools: Schema.Array(SkillTool).annotations({ description: "Its scripts that are tools in every task" }),
  warnings: strings.annotations({
    description: "What its SKILL.md has otherwise than the format says, and how it was read"
  })
}).annotations({ identifier: "SkillSummary" })
export type SkillSummary = typeof SkillSummary.Type

export const SkillDetail = Schema.Struct({
  ...SkillSummary.fields,
  instructions: Schema.String.annotations({ description: "Markdown that is added to the system prompt" }),
  scripts: Schema.Array(Schema.String).annotations({ description: "Files in scripts/, by their path in it" }),
  requirements: SkillRequirements.annotations({ description: "What its scripts need" }),
  path: Schema.String.annotations({ description: "The skill's SKILL.md" }),
  created_at: Timestamp.annotations({ description: "When it was created" }),
  updated_at: Timestamp.annotations({ description: "When it last changed" })
}).annotations({ identifier: "SkillDetail", description: "A skill with its instructions" })
export type SkillDetail = typeof SkillDetail.Type

export const SkillFault = Schema.Struct({
  path: Schema.String.annotations({ description: "The file or folder" }),
  message: Schema.String.annotations({ description: "What is wrong with it" })
}).annotations({ identifier: "SkillFault" })
export type SkillFault = typeof SkillFault.Type

export const SkillReload = Schema.Struct({
  count: Schema.Int.annotations({ description: "Number of skills" }),
  added: Schema.Array(SkillName).annotations({ description: "New ones" }),
  updated: Schema.Array(SkillName).annotations({ description: "Those that changed" }),
  removed: Schema.Array(SkillName).annotations({ description: "Removed ones" }),
  errors: Schema.Array(SkillFault).annotations({ description: "Files that are not valid skills, and why" })
}).annotations({ identifier: "SkillReload" })
export type SkillReload = typeof SkillReload.Type

export const SkillStatus = Schema.Struct({
  name: SkillName,
  met: Schema.Boolean.annotations({ description: "Nothing is missing" }),
  missing: SkillRequirements.annotations({ description: "What this machine lacks" })
}).annotations({ identifier: "SkillStatus" })
export type SkillStatus = typeof SkillStatus.Type

export class SkillNotFound extends Schema.TaggedError<SkillNotFound>()("SkillNotFound", { name: Schema.String }) {
  override get message() {
    return `There is no skill "${this.name.slice(0, 100)}".`
  }
}

export class SkillNameTaken extends Schema.TaggedError<SkillNameTaken>()("SkillNameTaken", { name: SkillName }) {
  override get message() {
    return `There is a skill "${this.name}" already.`
  }
}

/** A built-in skill can be changed, which makes a copy, but not removed. */
export class SkillReadOnly extends Schema.TaggedError<SkillReadOnly>()("SkillReadOnly", { name: SkillName }) {
  override get message() {
    return `"${this.name}" is built in and can't be deleted.`
  }
}

export class SkillInvalid extends Schema.TaggedError<SkillInvalid>()("SkillInvalid", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The skill "${this.name}" can't be saved: ${this.reason}.`
  }
}

export class SkillsUnwritable extends Schema.TaggedError<SkillsUnwritable>()("SkillsUnwritable", {
  reason: Schema.String
}) {
  override get message() {
    return `The folder SKILLS_PATH can't be written: ${this.reason}.`
  }
}

export class SkillModelUnavailable extends Schema.TaggedError<SkillModelUnavailable>()("SkillModelUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export class SkillNotGenerated extends Schema.TaggedError<SkillNotGenerated>()("SkillNotGenerated", {
  reason: Schema.String
}) {
  override get message() {
    return `The language model wrote no valid skill: ${this.reason}. Describe it in other words, or write it yourself.`
  }
}
