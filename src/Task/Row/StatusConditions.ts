import type { TaskStatus } from "@troupe/domain/Task"
import { type TaskStateEvent, terminalStatuses, transitions } from "@troupe/domain/TaskState"

const literals = (statuses: ReadonlyArray<TaskStatus>): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`

export const allows = (event: TaskStateEvent["_tag"], column: string): string =>
  `${column} in ${literals(transitions[event].from)}`

export const statusAfter = (event: TaskStateEvent["_tag"]): string => `'${transitions[event].to}'`

export const hasEnded = (column: string): string => `${column} in ${literals(terminalStatuses)}`

/** As `waitingForOf` says it of a running task: it waits for a time, and not for another attempt. */
export const isSleeping = (actor: string): string =>
  `(${actor}.status = 'running' and coalesce(${actor}.wake_at > now(), false) and ${actor}.attempts + ${actor}.process_deaths = 0)`
