import { Effect, Option } from "effect"
import { type TaskFilter, Tasks } from "../../src/Task/Tasks.ts"

/** A listing of everything but what is listed only when asked for. */
export const everyone: TaskFilter = {
  status: Option.none(),
  creator: Option.none(),
  assignee: Option.none(),
  webhookType: Option.none(),
  taskType: Option.none(),
  parentTaskId: Option.none(),
  q: Option.none(),
  includeArchived: false,
  limit: 100,
  cursor: Option.none()
}

/** The descriptions of the tasks that a listing shows. */
export const listed = (filter: Partial<TaskFilter> = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.list({ ...everyone, ...filter })).pipe(
    Effect.map(({ items }) => items.map(({ description }) => description))
  )
