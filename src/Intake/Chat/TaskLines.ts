import type { Task, TaskStatus } from "@troupe/domain/Task"
import { headOf, shortened } from "@troupe/domain/ToolResult"
import { escaped } from "../../Wire/Mrkdwn.ts"

const shown: Readonly<Record<TaskStatus, string>> = {
  pending: "starts soon",
  running: "is running",
  completed: "done",
  failed: "failed",
  waiting_input: "waits for an answer",
  waiting_subagents: "is running"
}

const idLength = 8

/** Enough of a task's id to tell it from the user's others. */
export const shortId = (id: string): string => id.slice(-idLength)

export const taskLine = ({ id, progress, question, status, title }: Task): string => {
  const about = status === "running"
    ? ` (${progress} %)`
    : question === null
    ? ""
    : `: ${escaped(shortened(question, 150))}`
  return `• \`${shortId(id)}\` *${escaped(shortened(title, 80))}* ${shown[status]}${about}`
}

const maxText = 2_500

export const taskDetails = (task: Task): string => {
  const text = task.question ?? task.error ?? task.outputs.findLast(({ type }) => type === "text")?.content ?? ""
  return `${taskLine({ ...task, question: null })}${text === "" ? "" : `\n${escaped(headOf(text, maxText))}`}`
}
