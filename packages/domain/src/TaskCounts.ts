import { Schema } from "effect"

/** A larger count is shown as this one, so that counting stays cheap. */
export const maxCount = 1_000

const Count = Schema.Int.annotations({ description: `Tasks with this status; ${maxCount} means as many or more` })

/** How many tasks of a list have each status. */
export const TaskCounts = Schema.Struct({
  pending: Count,
  running: Count,
  waiting_input: Count,
  waiting_subagents: Count,
  completed: Count,
  failed: Count
}).annotations({ identifier: "TaskCounts" })
export type TaskCounts = typeof TaskCounts.Type
