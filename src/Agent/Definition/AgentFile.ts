import { AgentMemory, AgentName, AgentNumbers, AgentText } from "@troupe/domain/Agent"
import type { AgentChange, AgentDraft } from "@troupe/domain/Agent"
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
  unique,
  withFields
} from "../../Skill/Library/Fields.ts"

export interface ParsedAgent {
  readonly text: AgentText
  /** Other names under which it is called: the one in the file and the file's own. */
  readonly aliases: ReadonlyArray<string>
  /** Where the file differs from the format, and how it was read instead. */
  readonly warnings: ReadonlyArray<string>
}

const namedAs = makeNaming("agent", Schema.is(AgentName))

/**
 * The agent in a file. Only a file without front matter or description, or with front matter that can't be read, is no agent;
 * everything else loads with a warning. `entry` is the name of its file without the ending, or that of its folder.
 */
export const parse = (source: string, entry?: string): Either.Either<ParsedAgent, string> =>
  Either.gen(function*() {
    const { body, fields: given, warnings: repairs } = yield* headerOf(source)
    const fields = makeFields(given)
    const { number, text } = fields
    const description = text("description")
    if (description === null) {
      return yield* Either.left(["description is missing or empty", ...repairs].join("; "))
    }
    const written = text("name")
    const known = namedAs(written, entry)
    if (known === null) return yield* Either.left("name is missing or empty")
    const { allowed, disallowed } = toolLists(given, fields)
    const agent: AgentText = {
      name: known.name,
      description,
      model: modelIn(given, fields, "model"),
      tools: allowed,
      disallowed_tools: disallowed,
      skills: listOrNull(given, fields, "skills", commas),
      max_tokens_total: number("max_tokens_total", AgentNumbers.max_tokens_total),
      max_iterations: number(aliasOf(given, "max_iterations", otherLimits), AgentNumbers.max_iterations),
      temperature: number("temperature", AgentNumbers.temperature),
      memory: memoryIn(fields),
      channels: fields.list("channels", commas).map((channel) => channel.replace(/^#/, "")),
      webhooks: fields.list("webhooks", commas),
      mailboxes: fields.list("mailboxes", commas).map(addressIn),
      max_cost: number("max_cost", AgentNumbers.max_cost),
      summary_model: modelIn(given, fields, "summary_model"),
      compaction_min_tokens: number("compaction_min_tokens", AgentNumbers.compaction_min_tokens),
      instructions: body.trim()
    }
    return {
      text: agent,
      aliases: known.aliases,
      warnings: [
        ...repairs,
        ...nameWarnings(written, known),
        ...fields.warnings,
        ...agent.instructions === ""
          ? ["there are no instructions below the front matter; the description is used"]
          : limitWarnings(AgentText, agent),
        ...Object.entries(given).flatMap(([name, value]) => {
          const effect = isOff(value) ? undefined : withoutEffect[name.toLowerCase().replace(/[-_]/g, "")]
          return effect === undefined ? [] : [`${name}: ${effect}`]
        })
      ]
    }
  })

const noRules = "rules of this kind have no effect here; write tools or disallowedTools"
const noServers = "servers of an agent's own are not connected; add them to the tool servers"
const noSwitch = "it has no effect here; an agent whose file is here is used"

/** Fields by which other systems restrict or extend an agent, by their names in lower case without hyphens. */
const withoutEffect: Readonly<Record<string, string>> = {
  permission: noRules,
  permissions: noRules,
  permissionmode: noRules,
  hooks: noRules,
  readonly: noRules,
  sandboxmode: noRules,
  agents: noRules,
  disablemodelinvocation: noRules,
  mcpservers: noServers,
  disable: noSwitch,
  disabled: noSwitch
}

const isOff = (value: unknown): boolean =>
  value === null || /^(?:|false|no|off|default)$/i.test(Predicate.isString(value) ? value.trim() : "rules")

/** Names of other systems for a limit of model calls. */
const otherLimits = ["maxTurns", "max_turns", "steps", "maxSteps"]

const otherLists = ["allowed-tools", "allowed_tools", "allowedTools"]

const otherExclusions = ["disallowed_tools", "disallowed-tools"]

const aliasOf = (given: Readonly<Record<string, unknown>>, name: string, others: ReadonlyArray<string>): string =>
  [name, ...others].find((one) => Object.hasOwn(given, one)) ?? name

type Fields = ReturnType<typeof makeFields>

/** Null for a list that is missing or blank. One that is written as `[]` has nothing in it. */
const listOrNull = (
  given: Readonly<Record<string, unknown>>,
  { list }: Fields,
  name: string,
  split: (text: string) => ReadonlyArray<string>
): ReadonlyArray<string> | null => {
  const found = list(name, split)
  return found.length > 0 || Array.isArray(given[name]) ? found : null
}

/** `Sales <sales@example.com>` as well as the address alone. */
const addressIn = (mailbox: string): string => /<([^<>]*)>$/.exec(mailbox)?.[1]?.trim() ?? mailbox

/** An item of a list may have several names: `- Read, Grep`. */
const oneByOne = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  unique(names.flatMap((name) => name.includes(",") ? toolNames(name) : [name]))

/** In a map, `name: false` takes a tool away and `"*": false` all others, as opencode has it. */
const toolLists = (given: Readonly<Record<string, unknown>>, fields: Fields) => {
  const name = aliasOf(given, "tools", otherLists)
  const excluded = oneByOne(fields.list(aliasOf(given, "disallowedTools", otherExclusions), toolNames))
  const value = given[name]
  if (!Predicate.isRecord(value)) {
    const allowed = listOrNull(given, fields, name, toolNames)
    return { allowed: allowed === null ? null : oneByOne(allowed), disallowed: excluded }
  }
  const [off, on] = Record.partition(value, (use) => !/^(?:false|no|off|deny)$/i.test(String(use)))
  const names = Object.keys(on)
  const { "*": others, ...named } = off
  fields.warnings.push(
    others === undefined
      ? `${name}: a map was read as disallowedTools: ${Object.keys(named).join(", ") || "none"}`
      : `${name}: a map was read as the list ${names.join(", ") || "of no tools"}`
  )
  return {
    allowed: others === undefined ? null : names,
    disallowed: [...new Set([...excluded, ...Object.keys(named)])]
  }
}

/** A model, or the first of a list: other systems try the models of a list in turn. */
const modelIn = (given: Readonly<Record<string, unknown>>, { text, warnings }: Fields, name: string): string | null => {
  const value = given[name]
  const [first = null, ...others] = Array.isArray(value) ? value.filter(Predicate.isString) : [text(name)]
  if (others.length > 0) warnings.push(`${name}: of a list only the first is used`)
  return first === null || /^(?:|inherit|default)$/i.test(first.trim()) ? null : first.trim()
}

const isMemory = Schema.is(AgentMemory)

const memoryIn = ({ text, warnings }: Fields): AgentMemory => {
  const written = text("memory") ?? "shared"
  if (isMemory(written)) return written
  const isOff = /^(?:false|no|off)$/i.test(written)
  warnings.push(
    `memory: expected shared or none; ${JSON.stringify(written.slice(0, 50))} counts as ${isOff ? "none" : "shared"}`
  )
  return isOff ? "none" : "shared"
}

const nameWarnings = (written: string | null, { name }: KnownAs<AgentName>): ReadonlyArray<string> =>
  written === null || written === name
    ? []
    : [`name: expected 1 to 64 lower-case letters, digits and single hyphens; the agent is known as "${name}"`]

/** The values of fields that a request leaves out. */
const blank: Omit<AgentText, "name" | "description" | "instructions"> = {
  model: null,
  tools: null,
  disallowed_tools: [],
  skills: null,
  max_tokens_total: null,
  max_iterations: null,
  temperature: null,
  memory: "shared",
  channels: [],
  webhooks: [],
  mailboxes: [],
  max_cost: null,
  summary_model: null,
  compaction_min_tokens: null
}

/** The text of a file that `parse` reads as this agent, without fields that have their default. */
export const print = ({ description, instructions, name, ...given }: AgentDraft): string => {
  const written = Object.entries(given).flatMap(([field, value]) => {
    const content = contentOf(field, value)
    return content === null ? [] : [[nameOfField(field), content]]
  })
  return assembled(stringify({ name, description, ...Object.fromEntries(written) }, { lineWidth: 0 }), instructions)
}

/** The text of an agent's file with the given fields changed; all others, unknown ones too, stay as they are written. */
export const edited = (source: string, { instructions, ...change }: AgentChange): string =>
  withFields(
    source,
    Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined).flatMap(([field, value]) => [
        ...(others[field] ?? []).map((other) => [other, null]),
        [nameOfField(field), contentOf(field, value)]
      ])
    ),
    instructions
  )

/** Other names of a field, which are removed when the field is written. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  tools: otherLists,
  disallowed_tools: otherExclusions,
  max_iterations: otherLimits
}

const nameOfField = (field: string) => field === "disallowed_tools" ? "disallowedTools" : field

/** The value to be written; null for a default, which is left out. */
const contentOf = (field: string, value: unknown): unknown => {
  const usual = Object.entries(blank).find(([name]) => name === field)?.[1]
  return value === undefined || value === usual
      || (Array.isArray(value) && value.length === 0 && Array.isArray(usual))
    ? null
    : value
}
