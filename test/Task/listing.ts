import type { TaskQuery } from "@troupe/api/TaskFilter"
import { Effect } from "effect"
import type { ById } from "../../src/People/User/Access.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"

/** The descriptions of the tasks that a listing shows. */
export const listed = (query: ById<TaskQuery> = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.list(query)).pipe(
    Effect.map(({ items }) => items.map(({ description }) => description))
  )
