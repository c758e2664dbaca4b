import type { JournalledStep, Step } from "./Step.ts"
import type { TaskOutput, TaskStatus } from "./Task.ts"

/** Null for a step that does not end the task. */
export const resultOf = (step: Step): string | null => {
  if (step.kind === "forced") return step.output
  if (step.kind === "model" && step.end !== undefined) return step.output ?? step.message.content
  return null
}

/** Null for a step that does not end the task, or ends it with a full answer. */
export const cutShortBy = (step: Step): string | null => {
  if (step.kind === "forced") return step.reason
  return step.kind === "model" && step.end === "forced" ? step.note ?? "A limit was reached." : null
}

/** The result for notifications and parent tasks, with the reason where a limit cut the task short. */
export const announcedResultOf = (step: Step): string | null => {
  const result = resultOf(step)
  const reason = cutShortBy(step)
  return result === null || reason === null ? result : `Cut short: ${reason}\n\n${result}`
}

/** The outcome to remember; null if it is only the service's own report. */
export const outcomeOf = (step: Step): string | null =>
  (step.kind === "model" || step.kind === "forced") && step.reported === true ? null : resultOf(step) ?? ""

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
