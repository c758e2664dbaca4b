import { SqlClient } from "@effect/sql/SqlClient"
import { signInOfCall, signInPrefix } from "@troupe/domain/SignInWait"
import { TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Layer, Option, Schedule } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import type { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { Authorizations } from "../../ToolServer/Authorizations.ts"
import type { TaskRow } from "../Row/TaskRow.ts"
import type { TaskSignals } from "../Row/TaskSignals.ts"
import { makeResume } from "./ResumePaused.ts"

/** Also finds tasks that began to wait while somebody signed in. */
const period = "10 seconds"

/** The tasks that wait for a sign-in at a tool server go on as soon as there is one. */
export const layer: Layer.Layer<
  never,
  never,
  Authorizations | PreparedStatements | ScheduledJobs | Signals | SqlClient | TaskSignals
> = Layer.scopedDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient
  const authorizations = yield* Authorizations
  const jobs = yield* ScheduledJobs
  const { receive } = yield* Signals
  const resume = yield* makeResume
  const waiting = Effect.orDie(sql<{ readonly call: string }>`select distinct last_tool_call_id as call from actors
where status = 'waiting_input' and starts_with(last_tool_call_id, ${signInPrefix})`)
  yield* jobs.start({
    name: "sign_ins",
    scope: "cluster",
    schedule: Schedule.spaced(period),
    wakeUps: receive("troupe_tool_servers"),
    run: asService(Effect.flatMap(waiting, (rows) =>
      Effect.forEach(rows, ({ call }) => {
        const wait = signInOfCall(call)
        if (wait === null) return Effect.void
        return Effect.flatMap(authorizations.find(wait), (found) =>
          Option.exists(found, ({ isValid, wantsMore }) => isValid && !wantsMore) ? resume(call) : Effect.void)
      }, { discard: true })))
  })
}))

/** A sign-in is not answered: the task goes on after it. */
export const checkNoSignIn = (
  { id, last_tool_call_id, status }: Pick<TaskRow, "id" | "last_tool_call_id" | "status">
): Effect.Effect<void, TaskStateConflict> => {
  const wait = status === "waiting_input" ? signInOfCall(last_tool_call_id) : null
  return wait === null ? Effect.void : new TaskStateConflict({
    id,
    status,
    wanted:
      `it waits for a sign-in at the tool server ${wait.server} and goes on after it: connect that, or cancel the task`
  })
}
