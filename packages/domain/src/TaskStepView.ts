import { DateTime } from "effect"
import { type DoneBy, doneBy } from "./DoneBy.ts"
import type { JournalledStep, Step } from "./Step.ts"
import { logsOf } from "./TaskLog.ts"
import { cutShortBy, endedByOf, planOf, statusOf, textOrNull } from "./TaskOutcome.ts"
import { outlineOfLog } from "./TaskReaders.ts"
import type { TaskStep } from "./TaskStep.ts"
import { headOf } from "./Text.ts"

/** Characters of each text of a step in a list. */
export const maxListedText = 2_000

/** The step as the API shows it, with at most `maxText` characters of each text. */
export const viewOfStep = (entry: JournalledStep, maxText = Number.POSITIVE_INFINITY): TaskStep => {
  const { at, seq, step } = entry
  let truncated = false
  const cut = (text: string): string => {
    if (text.length <= maxText) return text
    truncated = true
    return headOf(text, maxText)
  }
  const text = textIn(step)
  const [input, output] = "tokens" in step && step.tokens !== undefined ? step.tokens : [null, null]
  const view = {
    seq,
    kind: step.kind,
    at,
    duration_ms: durationOf(step),
    status: statusOf(entry),
    ended_by: endedByOf(step),
    title: cutShortBy(step)?.reason ?? logsOf(entry)[0]?.message ?? "Prepared the task",
    text: text === null ? null : cut(text),
    by: byOf(step),
    thinking: step.kind === "model" && step.thinking !== undefined ? cut(step.thinking) : null,
    input_tokens: input,
    output_tokens: output,
    cost: "cost" in step ? step.cost ?? null : null,
    model: "model" in step ? step.model ?? null : null,
    calls: callsIn(step).map(({ arguments: args, id, name }) => ({ id, name, arguments: cut(args) })),
    results: resultsIn(step).map(({ message, millis }) => ({
      id: message.tool_call_id,
      name: message.name,
      content: cut(message.content),
      duration_ms: millis
    })),
    subtasks: step.kind === "dispatched"
      ? step.subtasks.map(({ agent, call, task }) => ({ call_id: call, task_id: task, agent_type: agent }))
      : [],
    until: untilOf(entry)
  }
  return { ...view, truncated }
}

/** What every member of the team sees of a step: its kind, times, costs and subtasks, and no text. */
export const outlineOfStep = (entry: JournalledStep): TaskStep => {
  const view = viewOfStep(entry)
  const [log] = logsOf(entry)
  return {
    ...view,
    title: log === undefined ? view.title : outlineOfLog(log).message,
    text: null,
    by: null,
    thinking: null,
    calls: [],
    results: [],
    truncated: false
  }
}

const byOf = (step: Step): DoneBy | null => {
  if (step.kind === "answered" || step.kind === "cancelled") return doneBy(step)
  if (step.kind !== "steered") return null
  const [first, ...others] = step.messages
  return first !== undefined && others.every(({ by, via }) => by === first.by && via === first.via)
    ? doneBy(first)
    : null
}

const callsIn = (step: Step) => step.kind === "model" ? step.message.tool_calls : []

const resultsIn = (step: Step) => step.kind === "results" ? step.results : []

const durationOf = (step: Step): number | null => {
  if (step.kind === "results") {
    return step.results.length === 0 ? null : Math.max(...step.results.map(({ millis }) => millis))
  }
  return "millis" in step ? step.millis : null
}

const untilOf = ({ at, step }: JournalledStep): string | null => {
  const millis = step.kind === "crashed"
    ? step.retryAt
    : step.kind === "model_failed" && step.next === undefined
    ? DateTime.unsafeMake(at).epochMillis + step.pause
    : step.kind === "results"
    ? Math.max(...(step.deferred ?? []).map(({ until }) => until))
    : Number.NEGATIVE_INFINITY
  return millis > 0 ? DateTime.formatIso(DateTime.unsafeMake(Math.round(millis))) : null
}

const textIn = (step: Step): string | null => {
  switch (step.kind) {
    case "model":
      return step.output ?? textOrNull(step.message.content)
    case "results":
      return step.asked?.question ?? textOrNull((step.notices ?? []).join("\n"))
    case "compacted":
      return step.summary ?? step.failure ?? null
    case "forced":
      return step.output
    case "steered":
      return step.messages.map(({ text }) => text).join("\n")
    case "crashed":
    case "model_failed":
      return step.reason
    case "progressed":
      return step.message ?? null
    case "cancelled":
    case "failed":
      return step.error
    case "prepared":
      return planOf(step) ?? step.memoriesLeftOut ?? null
    default:
      return null
  }
}
