import { defined, flagParam, oneOf, switchParam, textParam, timeParam } from "../../service/SearchParams.ts"

const status = oneOf(["pending", "running", "completed", "failed", "waiting_input", "waiting_subagents"])
const source = oneOf(["chat", "email", "schedule", "webhook", "api"])
const taskType = oneOf(["task", "subtask"])

/** The filter in an address. The router keeps what its validation leaves out, so the screen reads the search again. */
export const filterIn = (search: Readonly<Record<string, unknown>>) => {
  const cancelled = switchParam(search["cancelled"])
  const sleeping = switchParam(search["sleeping"])
  const shown = cancelled === true ? "failed" : sleeping === true ? "running" : status(search["status"])
  return defined({
    status: shown,
    // Cancelled tasks have not failed, and sleeping ones do not run: each has a tab of its own.
    cancelled: cancelled ?? (shown === "failed" ? false : undefined),
    sleeping: sleeping ?? (shown === "running" ? false : undefined),
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
}
