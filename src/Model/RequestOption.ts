import { Data } from "effect"
import type { ModelRejected, ModelUnavailable, ToolDefinition } from "./Model.ts"

/** A parameter or a form of a request that only some models accept. A request is sent without those that were refused. */
export type RequestOption = keyof typeof parameters | keyof typeof forms | "returned_parts"

/** Whether an option may be sent, because the model has not refused it. */
export type MaySend = (option: RequestOption) => boolean

/** A tool of the request, by its name or its place in the list. */
export type RefusedTool = Pick<ToolDefinition, "name"> | { readonly index: number }

/** The provider refuses a call, perhaps for something that the call can do without. */
export class OptionRefused extends Data.TaggedError("OptionRefused")<{
  /** What the provider says. */
  readonly complaint: string
  /** What the complaint may be about, the first one mentioned first. */
  readonly options: ReadonlyArray<RequestOption>
  readonly tool: RefusedTool | null
  /** The failure where nothing can be left out any more. */
  readonly failure: ModelRejected | ModelUnavailable
}> {}

/** Parameters by the names in a complaint. English words count in quotes alone. */
const parameters = {
  temperature: /\btemperature\b/i,
  stream_options: /\bstream_options\b/i,
  parallel_tool_calls: /\bparallel_tool_calls\b/i,
  max_tokens: /\bmax_tokens\b/i,
  max_completion_tokens: /\bmax_completion_tokens\b/i,
  max_output_tokens: /\bmax_output_tokens\b/i,
  include: /["'`]include["'`[]|\bparameter:? include\b|encrypted[ _]content/i,
  store: /["'`]store["'`]|\b(?:parameter|argument)(?: supplied)?:? store\b/i,
  strict: /["'`.]strict["'`]|\b(?:parameter|argument)(?: supplied)?:? strict\b/i
} as const

/** How providers say that they refuse a parameter or a field itself. */
const refusal = new RegExp(
  [
    "unsupported",
    "n[o']t (?:be )?support",
    "unrecogni[sz]ed",
    "unknown",
    "unexpected",
    "not (?:permitted|allowed|recogni[sz]ed|available|accepted|compatible|enabled)",
    "extra[ _](?:inputs?|fields?|forbidden|param)",
    "forbidden",
    "deprecated",
    "cannot find field",
    "may only be",
    "only \\S+ is (?:allowed|supported)",
    "\\binstead\\b"
  ].join("|"),
  "i"
)

/** Whether a complaint is about a parameter or a field itself, not about its value. */
export const isRefusal = (complaint: string): boolean => refusal.test(complaint)

/** The value is refused, not the parameter. */
const limit =
  /too (?:large|high|big)|at most|less than|at least|greater than|exceed|maximum|max(?:imum)? of|range|[<>≤≥]/i

const limits: ReadonlySet<RequestOption> = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"])

/** Forms by what a complaint about them says. */
const forms = {
  /** `null` as the content of a message with tool calls. */
  null_content: new RegExp(
    [
      "invalid message content type",
      "\\bcontent\\b.{0,80}(?:must|should|expected|required).{0,40}\\bstring",
      "\\bcontent\\b.{0,60}\\b(?:null|nil|none|undefined)\\b"
    ].join("|"),
    "is"
  ),
  /** Ids of tool calls as another model wrote them. */
  long_ids:
    /tool[ _]?(?:call|use)s?(?:\[\d+\])?[._ ]?id\b.{0,120}(?:length|must be|match|pattern|too long)|call_id.{0,80}(?:too long|length|pattern|match the)/is,
  system_role: new RegExp(
    [
      "system[ _]?(?:role|message|prompt|instruction)s?.{0,40}(?:not supported|unsupported|not allowed|not enabled)",
      "not support.{0,20}(?:['\"`]system['\"`]|system (?:role|message|prompt|instruction))",
      "developer instruction is not enabled",
      "only user,? and assistant roles"
    ].join("|"),
    "is"
  ),
  /** Messages without the reasoning that a model wants back with each of its calls. */
  absent_reasoning:
    /\breasoning_content\b.*\b(?:must be|missing|required)\b|\b(?:missing|requires?)\b.{0,40}\breasoning_content\b/is,
  /** Descriptions of tools with more than 1,024 characters. */
  long_descriptions: /\bdescription\b.{0,60}(?:too long|max(?:imum)?[ _]length|exceed|longer than)/is,
  stream:
    /must be verified to stream|["'`]stream["'`].{0,60}(?:not support|unsupported)|streaming is (?:not supported|unsupported)/is
} as const

const keysOf = <K extends string>(record: Readonly<Record<K, RegExp>>): ReadonlyArray<K> =>
  Object.keys(record).filter((key): key is K => key in record)

/** The forms that a complaint is about. */
export const formsIn = (complaint: string): ReadonlyArray<RequestOption> =>
  keysOf(forms).filter((form) => forms[form].test(complaint))

/** The parameters that a complaint is about, in the order of their names in it. */
export const parametersIn = (complaint: string): ReadonlyArray<RequestOption> => {
  if (!isRefusal(complaint)) return []
  const isLimit = limit.test(complaint)
  return keysOf(parameters)
    .filter((name) => !(isLimit && limits.has(name)))
    .map((name) => ({ name, at: complaint.search(parameters[name]) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)
    .map(({ name }) => name)
}

const toolByName = /\b(?:function|tool)(?: name)? ?[:=]? ?["'`]([\w-]{1,64})["'`]/i
const toolByIndex = [/function_declarations\[(\d+)\]/i, /(?<!\w)tools?(?:\[|\.|["']\s*,\s*)(\d+)/i]
const aboutDefinition = /schema|parameters|propert(?:y|ies)|function_declarations|description|\bname\b|invalid/i

/** The tool whose definition a complaint is about. */
export const toolIn = (complaint: string): RefusedTool | null => {
  if (!aboutDefinition.test(complaint)) return null
  const name = toolByName.exec(complaint)?.[1]
  if (name !== undefined) return { name }
  const [index] = toolByIndex.flatMap((pattern) => pattern.exec(complaint)?.[1] ?? [])
  return index === undefined ? null : { index: Number(index) }
}
