import type { TaskStatus } from "@troupe/domain/Task"
import { type TaskStateEvent, terminalStatuses, transitions } from "@troupe/domain/TaskState"

const literals = (statuses: ReadonlyArray<TaskStatus>): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`

export const allows = (event: TaskStateEvent["_tag"], column: string): string =>
  `${column} in ${literals(transitions[event].from)}`

export const statusAfter = (event: TaskStateEvent["_tag"]): string => `'${transitions[event].to}'`

export const hasEnded = (column: string): string => `${column} in ${literals(terminalStatuses)}`

/** A condition on `wake_at` that uses its two partial indexes (queued tasks, others) and reads no finished tasks. */
export const wakeUp = (condition: string): string =>
  `(a.wake_at ${condition} and a.queued_by is null or a.wake_at ${condition} and a.queued_by is not null)`
