import type { BulkRequest } from "@troupe/client"
import type { TaskFilter } from "../../service/TaskQueries.ts"

export type Action = BulkRequest["action"]
export type Status = NonNullable<TaskFilter["status"]>

export const unfinished = ["pending", "running", "waiting_input", "waiting_subagents"] as const

export const everyStatus: ReadonlyArray<Status> = [...unfinished, "completed", "failed"]

export const isFinished = (status: TaskFilter["status"]) => status === "completed" || status === "failed"

export interface Choice {
  readonly action: Action
  readonly name: string
  /** Which tasks the action changes. */
  readonly statuses: ReadonlyArray<Status>
}

export const choices: ReadonlyArray<Choice> = [
  { action: "cancel", name: "Cancel", statuses: unfinished },
  { action: "retry", name: "Retry", statuses: ["failed"] },
  { action: "archive", name: "Archive", statuses: everyStatus }
]

/** For lists that show archived tasks. */
export const archivedChoices: ReadonlyArray<Choice> = [
  { action: "restore", name: "Un-archive", statuses: everyStatus },
  { action: "delete", name: "Delete", statuses: everyStatus }
]

export const isForArchived = (action: Action | undefined) => archivedChoices.some((one) => one.action === action)

export const effectOf = (action: Action, isOfFinished: boolean): string => {
  switch (action) {
    case "cancel":
      return "Tasks that are not finished stop, with their subtasks."
    case "retry":
      return "Failed tasks continue from their last saved step."
    case "archive":
      return isOfFinished
        ? "They leave the lists; nothing of them is deleted."
        : "Unfinished tasks are cancelled first, with their subtasks. Then all leave the lists; nothing of them is deleted."
    case "restore":
      return "Archived tasks are back in the lists."
    case "delete":
      return "Archived tasks are deleted for good, with their subtasks, logs, conversations and notifications. Files stay."
  }
}

/** Whether the action ends tasks that are at work, or can't be undone. */
export const isDangerous = (action: Action | undefined, isOfFinished: boolean): boolean =>
  action === "cancel" || action === "delete" || action === "archive" && !isOfFinished

export const doneNames: Readonly<Record<Action, string>> = {
  cancel: "cancelled",
  retry: "retried",
  archive: "archived",
  restore: "un-archived",
  delete: "deleted"
}
