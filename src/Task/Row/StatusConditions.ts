import type { TaskStatus } from "@troupe/domain/Task"
import { type TaskStateEvent, terminalStatuses, transitions } from "@troupe/domain/TaskState"

const literals = (statuses: ReadonlyArray<TaskStatus>): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`

export const allows = (event: TaskStateEvent["_tag"], column: string): string =>
  `${column} in ${literals(transitions[event].from)}`

export const statusAfter = (event: TaskStateEvent["_tag"]): string => `'${transitions[event].to}'`

export const hasEnded = (column: string): string => `${column} in ${literals(terminalStatuses)}`

/** Whether a task sleeps, or waits for another attempt as a few do: the tasks in the index of sleeping tasks (migration 0048). */
export const maySleep = (actor: string): string =>
  `${actor}.status = 'running' and ${actor}.runner is null and ${actor}.wake_at > now()`

/** Whether a running task waits for a time and not for another attempt, as `waitingForOf` has it. */
export const sleeps = (actor: string): string =>
  `${maySleep(actor)} and ${actor}.attempts + ${actor}.process_deaths = 0`

/** The same as a value that is never null. */
export const isSleeping = (actor: string): string => `coalesce(${sleeps(actor)}, false)`
