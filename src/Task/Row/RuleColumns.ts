import { isGuest } from "../../People/User/Guests.ts"

/** What a row of tasks has by itself, or a subtask by the task that dispatched it. */
const ofRequest = (task: string, column: string): string =>
  `case when ${task}.parent_task_id is null then ${task}.${column}
    else (select p.${column} from tasks p where p.id = ${task}.parent_task_id) end`

/** Where the request came from for which a row of tasks works: rules hold for subtasks too. */
export const requestSource = (task: string): string => ofRequest(task, "source")

/** The schedule that made the request for which a row of tasks works. */
export const requestSchedule = (task: string): string => `(${ofRequest(task, "schedule_id")})::text`

/** Whether a guest made a row of tasks. Whose request has all tools is none, and is not looked up. */
export const isOfGuest = (task: string): string =>
  `case when ${task}.tool_access = 'all' then false else ${isGuest(`${task}.creator`)} end`
