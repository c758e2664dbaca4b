import type { TaskStatus } from "@troupe/domain/Task"
import { type TaskEvent, terminalStatuses, transitions } from "@troupe/domain/TaskState"

const literals = (statuses: ReadonlyArray<TaskStatus>): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`

/** An SQL condition: the task in status `column` allows the event. */
export const allows = (event: TaskEvent["_tag"], column: string): string =>
  `${column} in ${literals(transitions[event].from)}`

/** An SQL literal: the status that the event leads to. */
export const statusAfter = (event: TaskEvent["_tag"]): string => `'${transitions[event].to}'`

/** An SQL condition: the task in status `column` has ended. */
export const hasEnded = (column: string): string => `${column} in ${literals(terminalStatuses)}`
