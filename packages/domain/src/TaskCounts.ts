import { Schema } from "effect"
import { TaskStatus } from "./Task.ts"
import { plural } from "./Text.ts"

/** Nothing is counted further, so that counting stays cheap. */
export const maxCount = 1_000

/** A count of which no more than `maxCount` is known, with its noun: "1 task", "1000+ tasks". */
export const counted = (count: number, noun: string): string =>
  count >= maxCount ? `${maxCount}+ ${noun}s` : plural(count, noun)

const Count = Schema.Int.annotations({ description: `Tasks with this status, up to ${maxCount}` })

/** How many tasks of a list have each status. */
export const TaskCounts = Schema.Struct({
  pending: Count,
  running: Count,
  waiting_input: Count,
  waiting_subagents: Count,
  completed: Count,
  failed: Count,
  sleeping: Schema.Int.annotations({
    description: "Of the running tasks that are counted, those that sleep until a time"
  }),
  cancelled: Schema.Int.annotations({
    description: "Of the failed tasks that are counted, those that somebody cancelled"
  }),
  capped: Schema.Array(TaskStatus).annotations({
    description: "Statuses of which there may be more tasks than counted"
  })
}).annotations({ identifier: "TaskCounts" })
export type TaskCounts = typeof TaskCounts.Type
