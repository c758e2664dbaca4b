import type { TaskStatus } from "@troupe/domain/Task"
import { type TaskStateEvent, terminalStatuses, transitions } from "@troupe/domain/TaskState"

const literals = (statuses: ReadonlyArray<TaskStatus>): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`

export const allows = (event: TaskStateEvent["_tag"], column: string): string =>
  `${column} in ${literals(transitions[event].from)}`

export const statusAfter = (event: TaskStateEvent["_tag"]): string => `'${transitions[event].to}'`

export const hasEnded = (column: string): string => `${column} in ${literals(terminalStatuses)}`

/** What an index of sleeping tasks has (migration 0048): these, and a few that wait for another attempt. */
export const maySleep = (actor: string): string =>
  `${actor}.status = 'running' and ${actor}.runner is null and ${actor}.wake_at > now()`

/** As `waitingForOf` says it of a running task: it waits for a time, and not for another attempt. */
export const sleeps = (actor: string): string =>
  `${maySleep(actor)} and ${actor}.attempts + ${actor}.process_deaths = 0`

/** The same as a value that is never null. */
export const isSleeping = (actor: string): string => `coalesce(${sleeps(actor)}, false)`
