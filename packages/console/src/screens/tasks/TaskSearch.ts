import { defined, flagParam, oneOf, switchParam, textParam, timeParam } from "../../service/SearchParams.ts"

const status = oneOf(["pending", "running", "completed", "failed", "waiting_input", "waiting_subagents"])
const source = oneOf(["chat", "email", "schedule", "webhook", "api"])
const taskType = oneOf(["task", "subtask"])

/** The filter in an address. The router keeps what its validation leaves out, so the screen reads the search again. */
export const filterIn = (search: Readonly<Record<string, unknown>>) =>
  defined({
    status: status(search["status"]),
    cancelled: switchParam(search["cancelled"]),
    sleeping: switchParam(search["sleeping"]),
    q: textParam(search["q"]),
    creator: textParam(search["creator"]),
    assignee: textParam(search["assignee"]),
    project_id: textParam(search["project_id"]),
    agent: textParam(search["agent"]),
    source: source(search["source"]),
    created_from: timeParam(search["created_from"]),
    created_before: timeParam(search["created_before"]),
    webhook_type: textParam(search["webhook_type"]),
    task_type: taskType(search["task_type"]),
    include_archived: flagParam(search["include_archived"])
  })

/** What the list shows for an address: cancelled tasks have not failed, and sleeping ones do not run; each has a tab. */
export const shownIn = (search: Readonly<Record<string, unknown>>) => {
  const filter = filterIn(search)
  const shown = filter.cancelled === true ? "failed" : filter.sleeping === true ? "running" : filter.status
  return {
    ...filter,
    ...(shown === undefined ? {} : { status: shown }),
    ...(shown === "failed" && filter.cancelled === undefined ? { cancelled: false } : {}),
    ...(shown === "running" && filter.sleeping === undefined ? { sleeping: false } : {})
  }
}
