import type { TaskQuery } from "@troupe/api/TaskFilter"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"

/** The descriptions of the tasks that a listing shows. */
export const listed = (query: TaskQuery = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.list(query)).pipe(
    Effect.map(({ items }) => items.map(({ description }) => description))
  )
