import type { AgentDetail } from "@troupe/client"
import { numberFault, typedText } from "../../parts/TypedText.ts"

const texts = ["description", "instructions", "memory", "model", "name", "summary_model"] as const
const lists = ["channels", "disallowed_tools", "mailboxes", "skills", "tools", "webhooks"] as const
const numbers = ["compaction_min_tokens", "max_cost", "max_iterations", "max_tokens_total", "temperature"] as const

export type AgentTexts = Readonly<Record<(typeof texts | typeof lists | typeof numbers)[number], string>>

/** An agent as a person edits it; lists are separated by commas, and an empty one says nothing. */
export interface AgentForm {
  readonly texts: AgentTexts
  /** Whether it exists, so that it is changed. */
  readonly isSaved: boolean
}

const emptyTexts: AgentTexts = {
  name: "",
  description: "",
  instructions: "",
  memory: "shared",
  model: "",
  summary_model: "",
  tools: "",
  disallowed_tools: "",
  skills: "",
  channels: "",
  webhooks: "",
  mailboxes: "",
  max_tokens_total: "",
  max_iterations: "",
  temperature: "",
  max_cost: "",
  compaction_min_tokens: ""
}

export const emptyAgent: AgentForm = { texts: emptyTexts, isSaved: false }

const written = (value: unknown): string =>
  Array.isArray(value) ? value.join(", ") : value === null ? "" : String(value)

/** An empty list, which is "none" and not "all", is written as a word that no tool or skill has. */
export const formOf = (agent: AgentDetail): AgentForm => ({
  texts: {
    ...emptyTexts,
    ...Object.fromEntries([...texts, ...lists, ...numbers].map((field) => [field, written(agent[field])])),
    ...(agent.tools?.length === 0 ? { tools: "none" } : {}),
    ...(agent.skills?.length === 0 ? { skills: "none" } : {})
  },
  isSaved: true
})

const listOf = (text: string) => text.split(",").map((item) => item.trim()).filter((item) => item !== "")

const listOrNull = (text: string) =>
  text.trim() === "" ? null : text.trim().toLowerCase() === "none" ? [] : listOf(text)

const numberOrNull = (text: string) => text.trim() === "" ? null : Number(text)

/** Why the text of a field can't be sent. */
export const faultOf = (form: AgentTexts, name: keyof AgentTexts): string | undefined =>
  name === "memory"
    ? ["", "shared", "none"].includes(form.memory.trim().toLowerCase()) ? undefined : "Must be shared or none"
    : numbers.some((number) => number === name)
    ? numberFault(form[name])
    : undefined

/** What decides the prompt and the tools. */
export const previewOf = ({ disallowed_tools, instructions, memory, skills, tools }: AgentTexts) => ({
  tools: listOrNull(tools),
  disallowed_tools: listOf(disallowed_tools),
  skills: listOrNull(skills),
  memory: memory.trim().toLowerCase() === "none" ? "none" as const : "shared" as const,
  ...(instructions.trim() === "" ? {} : { instructions })
})

export const changeOf = (form: AgentTexts) => ({
  ...previewOf(form),
  instructions: form.instructions,
  description: form.description.trim(),
  model: typedText(form.model),
  summary_model: typedText(form.summary_model),
  channels: listOf(form.channels),
  webhooks: listOf(form.webhooks),
  mailboxes: listOf(form.mailboxes),
  max_tokens_total: numberOrNull(form.max_tokens_total),
  max_iterations: numberOrNull(form.max_iterations),
  temperature: numberOrNull(form.temperature),
  max_cost: numberOrNull(form.max_cost),
  compaction_min_tokens: numberOrNull(form.compaction_min_tokens)
})
