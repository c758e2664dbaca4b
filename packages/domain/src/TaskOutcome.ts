import { defaultUser } from "./Ids.ts"
import type { Cancelled } from "./PersonStep.ts"
import type { JournalledStep, Step } from "./Step.ts"
import type { CutBy, EndedBy, TaskOutput, TaskStatus } from "./Task.ts"
import { cutLabel, endLabel, isCut, type TaskEnd } from "./TaskEnd.ts"

/** Null for a step that does not end the task. */
export const resultOf = (step: Step): string | null => {
  if (step.kind === "forced") return step.output
  if (step.kind === "model" && step.end !== undefined) return step.output ?? step.message.content
  return null
}

/** Why the step ended the task; null for a step that does not. */
export const endedByOf = (step: Step): EndedBy | null => {
  switch (step.kind) {
    case "forced":
      return step.endedBy ?? cutByIn(step.reason)
    case "model":
      if (step.end === undefined) return null
      return step.endedBy ?? (step.end === "forced"
        ? cutByIn(step.note ?? "")
        : step.warning?.kind === "last"
        ? "budget"
        : "answer")
    case "cancelled":
      return "cancelled"
    case "failed":
      return "failure"
    default:
      return null
  }
}

/** Steps of earlier versions say only in words whether the limit or the budget ended the task. */
const cutByIn = (reason: string): CutBy => reason.startsWith("The token budget") ? "budget" : "limit"

/** How the step ended the task; null for a step that does not. */
export const endOf = (step: Step): TaskEnd | null => {
  const by = endedByOf(step)
  return by === null ? null : { by, detail: endDetailOf(step) }
}

export const endDetailOf = (step: Step): string | null => {
  switch (step.kind) {
    case "forced":
    case "model":
      return step.limit?.toString() ?? null
    case "cancelled":
      return cancellerOf(step)
    default:
      return null
  }
}

/** Who cancelled a task, as it is said; null: nobody who has a name. */
export const cancellerOf = ({ by = null, name = null }: Pick<Cancelled, "by" | "name">): string | null =>
  by === defaultUser && name === defaultUser ? null : name

/** How the step ended the task, in words. */
export const endLabelOf = (step: Step): string | null => {
  const end = endOf(step)
  return end === null ? null : endLabel(end)
}

/** The limit at which the step completed the task, in words; null for a step that does not end it, or ends it with a full answer. */
export const cutShortBy = (step: Step): { readonly by: CutBy; readonly reason: string } | null => {
  const by = endedByOf(step)
  if (!isCut(by)) return null
  const reason = step.kind === "forced" ? step.reason : step.kind === "model" ? step.note : undefined
  return {
    by,
    reason: reason ?? (by === "limit" ? "A limit was reached." : "The token budget allowed no further call.")
  }
}

/** The result for notifications and parent tasks, with the reason where a limit cut the task short. */
export const announcedResultOf = (step: Step): string | null => {
  const result = resultOf(step)
  const cut = cutShortBy(step)
  return result === null || cut === null ? result : `Cut short: ${cut.reason}\n\n${result}`
}

/** An outcome that later tasks read: of a task that was stopped at a limit (`cut`) it says so. */
export const markedOutcome = (cut: string | null, outcome: string): string =>
  cut === null ? outcome : `${cut}; so far:\n\n${outcome}`

/** The outcome to remember; null if it is only the service's own report. */
export const outcomeOf = (step: Step): string | null =>
  (step.kind === "model" || step.kind === "forced") && step.reported === true
    ? null
    : markedOutcome(cutLabel(endOf(step)), resultOf(step) ?? "")

export const outputsOf = ({ at, seq, step }: JournalledStep): ReadonlyArray<TaskOutput> => {
  const result = resultOf(step)
  if (result === null || (step.kind !== "model" && step.kind !== "forced")) return []
  return [
    { id: `${seq}.0`, type: "text", content: result, filename: null, size: null, created_at: at },
    ...(step.files ?? []).map((file, index): TaskOutput => ({
      id: `${seq}.${index + 1}`,
      type: "file",
      content: null,
      filename: file.filename,
      size: file.size,
      created_at: at
    }))
  ]
}

/** Numbered work steps, or what the model wrote beside tool calls. A task's plan is the plan of its first step that has one. */
export const planOf = (step: Step): string | null => {
  switch (step.kind) {
    case "prepared":
      return textOrNull((step.steps ?? []).map((text, index) => `${index + 1}. ${text}`).join("\n"))
    case "model":
      return step.message.tool_calls.length === 0 ? null : textOrNull(step.message.content.trim())
    default:
      return null
  }
}

export const textOrNull = (text: string): string | null => text === "" ? null : text

export const statusOf = ({ step }: JournalledStep): TaskStatus | null => {
  switch (step.kind) {
    case "woken":
    case "answered":
      return "running"
    case "model":
      return step.end === undefined ? null : "completed"
    case "results":
      return step.asked !== undefined ? "waiting_input" : step.awaiting !== undefined ? "waiting_subagents" : null
    case "forced":
      return "completed"
    case "cancelled":
    case "failed":
      return "failed"
    case "retried":
      return "pending"
    default:
      return null
  }
}
