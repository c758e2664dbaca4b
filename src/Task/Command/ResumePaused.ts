import { stepText } from "@troupe/domain/StepText"
import { Effect } from "effect"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { stepTime } from "../Journal/JournalStatements.ts"
import { statusAfter } from "../Row/StatusConditions.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { changed, publishedChange } from "./CommandStatements.ts"

/** Lets the tasks go on that wait for a spending limit or a sign-in, by the call that stands for it. */
export const makeResume = Effect.map(
  Effect.all([PreparedStatements, TaskSignals]),
  ([{ execute }, signals]) => (call: string) =>
    Effect.flatMap(
      execute(resumePaused({ call, origin: signals.origin, step: stepText({ kind: "answered", by: null }) })),
      (rows) => Effect.sync(() => signals.wake(rows.flatMap(({ shard }) => typeof shard === "number" ? [shard] : [])))
    )
)

/** The tasks that wait for something else than a tool go on: `$call` stands for it. Their status is in an index, and few tasks wait. */
const resumePaused = prepared(
  "paused_resume",
  ["call", "origin", "step"],
  `with hit as (
  update actors a set
    seq = seq + 1, status = ${statusAfter("Answered")}, question = null, last_tool_call_id = null, choices = null,
    asks_approval = false, wake_at = now(), attempts = 0, updated_at = ${stepTime}
  where a.status = 'waiting_input' and a.last_tool_call_id = $call::text
  returning a.task_id, a.seq, a.shard, a.inbox_sent, a.updated_at as at, a.status, a.question, a.error
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $step::text from hit
)${publishedChange("waiting_input", "running")}${changed("wake", "null")}`
)
