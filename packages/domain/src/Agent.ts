import { Schema } from "effect"
import { boundedText } from "./BoundedText.ts"
import { SkillFault } from "./Skill.ts"
import { minTokenBudget } from "./Task.ts"
import { Timestamp } from "./Timestamp.ts"

/** Also the name of the agent's file, so it can't lead out of the folder of agents. */
export const AgentName = Schema.String.pipe(
  Schema.pattern(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/, {
    message: () => "1 to 64 lower-case letters, digits and single hyphens, such as weekly-report"
  }),
  Schema.brand("AgentName")
).annotations({ description: "Agent name, kebab-case" })
export type AgentName = typeof AgentName.Type

const text = (max: number) => boundedText(max, `a text of 1 to ${max} characters`)

const items = Schema.Array(text(256)).pipe(Schema.maxItems(256, { message: () => "at most 256 items" }))

const whole = (from: number, to: number) =>
  Schema.Int.pipe(Schema.between(from, to)).annotations({ message: () => `a whole number from ${from} to ${to}` })

const maxInteger = 2_147_483_647

/** The numbers of an agent, each with its bounds. */
export const AgentNumbers = {
  max_tokens_total: whole(minTokenBudget, maxInteger),
  max_iterations: whole(1, 10_000),
  temperature: Schema.Number.pipe(Schema.between(0, 2)).annotations({ message: () => "a number from 0 to 2" }),
  max_cost: Schema.Number.pipe(Schema.positive(), Schema.finite()).annotations({ message: () => "a number above 0" }),
  compaction_min_tokens: whole(0, maxInteger)
}

export const AgentMemory = Schema.Literal("shared", "none")
export type AgentMemory = typeof AgentMemory.Type

const orNull = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.NullOr(schema).annotations({ description })

/** What an agent may be written with through the API. One that is read from a file may be beyond the limits. */
export const AgentText = Schema.Struct({
  name: AgentName,
  description: text(8_000).annotations({ description: "What the agent is for, and when to use it" }),
  model: orNull(text(256), "The model that it uses; null: the default one"),
  tools: orNull(items, "The tools that it has: names or globs such as `github__*`; null: all"),
  disallowed_tools: items.annotations({ description: "Tools that it does not have, of those above: names or globs" }),
  skills: orNull(items, "The skills that it may use; null: all that fit a request"),
  max_tokens_total: orNull(AgentNumbers.max_tokens_total, "Token budget of a task of it; null: none"),
  max_iterations: orNull(
    AgentNumbers.max_iterations,
    "Hard limit of model calls of a task; never above the service's own. null: that one"
  ),
  temperature: orNull(AgentNumbers.temperature, "Sampling temperature; null: the model's"),
  memory: AgentMemory.annotations({
    description: "shared: the memories of the user; none: it is given none, and has no memory tools"
  }),
  channels: items.annotations({ description: "Channels of the team chat, by name or id, whose requests it gets" }),
  webhooks: items.annotations({ description: "Types of webhooks that it gets" }),
  mailboxes: items.annotations({ description: "Mail addresses whose mail it gets" }),
  max_cost: orNull(AgentNumbers.max_cost, "What a task of it may cost; null: no limit"),
  summary_model: orNull(text(256), "The model that summarizes its conversations; null: the default one"),
  compaction_min_tokens: orNull(
    AgentNumbers.compaction_min_tokens,
    "Its conversations are not compacted below this length; null: the service's setting"
  ),
  instructions: text(100_000).annotations({ description: "Markdown that is added to the system prompt" })
})
export type AgentText = typeof AgentText.Type

const changeable = AgentText.omit("name", "description", "instructions")

export const AgentDraft = Schema.extend(
  AgentText.pick("name", "description", "instructions"),
  Schema.partial(changeable)
).annotations({ identifier: "AgentCreateRequest" })
export type AgentDraft = typeof AgentDraft.Type

export const AgentChange = Schema.extend(
  Schema.partial(AgentText.pick("description", "instructions")),
  Schema.partial(changeable)
).annotations({ identifier: "AgentUpdateRequest" })
export type AgentChange = typeof AgentChange.Type

/** `built-in`: comes with the service and is never written; `folder`: in `AGENTS_PATH`. */
export const AgentSource = Schema.Literal("built-in", "folder")
export type AgentSource = typeof AgentSource.Type

/** 12 hex digits of the SHA-256 of an agent's file. */
export const AgentRevision = Schema.String
export type AgentRevision = typeof AgentRevision.Type

const strings = (description: string) => Schema.Array(Schema.String).annotations({ description })
const stringsOrNull = (description: string) => Schema.NullOr(Schema.Array(Schema.String)).annotations({ description })

/** An agent as lists show it. What files have is not bounded. */
export const AgentSummary = Schema.Struct({
  ...AgentText.omit("instructions").fields,
  description: Schema.String.annotations({ description: "What the agent is for, and when to use it" }),
  model: Schema.NullOr(Schema.String).annotations({ description: "The model that it uses; null: the default one" }),
  tools: stringsOrNull("The tools that it has: names or globs; null: all"),
  disallowed_tools: strings("Tools that it does not have: names or globs"),
  skills: stringsOrNull("The skills that it may use; null: all that fit a request"),
  channels: strings("Channels of the team chat whose requests it gets"),
  webhooks: strings("Types of webhooks that it gets"),
  mailboxes: strings("Mail addresses whose mail it gets"),
  summary_model: Schema.NullOr(Schema.String).annotations({
    description: "The model that summarizes; null: the default"
  }),
  revision: AgentRevision.annotations({ description: "12 hex digits of the SHA-256 of its file" }),
  source: AgentSource.annotations({ description: "built-in: comes with the service; folder: of AGENTS_PATH" }),
  warnings: strings("Where its file differs from the format, and names in it that this service does not know")
}).annotations({ identifier: "AgentSummary" })
export type AgentSummary = typeof AgentSummary.Type

export const AgentDetail = Schema.Struct({
  ...AgentSummary.fields,
  instructions: Schema.String.annotations({ description: "Markdown that is added to the system prompt" }),
  path: Schema.String.annotations({
    description: "Path of the agent's file within AGENTS_PATH, or within the folder of the built-in agents"
  })
}).annotations({ identifier: "AgentDetail", description: "An agent with its instructions" })
export type AgentDetail = typeof AgentDetail.Type

/** A revision of an agent that tasks used. */
export const AgentUse = Schema.Struct({
  revision: AgentRevision.annotations({ description: "The revision" }),
  tasks: Schema.Int.annotations({ description: "How many tasks used it, of the newest thousand of the agent" }),
  last_used_at: Timestamp.annotations({ description: "When the last of them was created" }),
  content: Schema.String.annotations({ description: "The agent's file at that time" })
}).annotations({ identifier: "AgentUse" })
export type AgentUse = typeof AgentUse.Type

export const AgentReload = Schema.Struct({
  count: Schema.Int.annotations({ description: "Number of agents" }),
  added: Schema.Array(AgentName).annotations({ description: "New ones" }),
  updated: Schema.Array(AgentName).annotations({ description: "Those that changed" }),
  removed: Schema.Array(AgentName).annotations({ description: "Removed ones" }),
  errors: Schema.Array(SkillFault).annotations({ description: "Files that are not valid agents, and why" })
}).annotations({ identifier: "AgentReload" })
export type AgentReload = typeof AgentReload.Type

/** `hint`: the nearest names, in words. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  name: Schema.String,
  hint: Schema.String.annotations({ description: "The nearest names, in words" })
}) {
  override get message() {
    return `There is no agent "${this.name.slice(0, 100)}". ${this.hint}`.trimEnd()
  }
}

export class AgentNameTaken extends Schema.TaggedError<AgentNameTaken>()("AgentNameTaken", { name: AgentName }) {
  override get message() {
    return `There is an agent "${this.name}" already.`
  }
}

/** A built-in agent can be changed, which makes a copy, but not removed. */
export class AgentReadOnly extends Schema.TaggedError<AgentReadOnly>()("AgentReadOnly", { name: AgentName }) {
  override get message() {
    return `"${this.name}" is built in and can't be deleted.`
  }
}

export class AgentInvalid extends Schema.TaggedError<AgentInvalid>()("AgentInvalid", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The agent "${this.name}" can't be saved: ${this.reason}.`
  }
}

export class AgentsUnwritable extends Schema.TaggedError<AgentsUnwritable>()("AgentsUnwritable", {
  reason: Schema.String
}) {
  override get message() {
    return `The folder AGENTS_PATH can't be written: ${this.reason}.`
  }
}
