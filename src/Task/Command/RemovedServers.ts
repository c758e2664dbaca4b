import { SqlClient } from "@effect/sql/SqlClient"
import { TaskId, ToolCallId } from "@troupe/domain/Ids"
import { decline } from "@troupe/domain/ServerQuestion"
import { Clock, Effect, Option, Schema } from "effect"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import type { Configuration } from "../../ToolServer/ToolServerRepo.ts"
import { questionStep } from "./CommandStatements.ts"
import { TaskCommands } from "./TaskCommands.ts"

/** A task that waits for an answer to a question of a tool server; `step` asked it. */
const AskedTask = Schema.Struct({ task_id: TaskId, call: ToolCallId, step: Schema.NullOr(Schema.String) })
const askedTasks = rowsOf(AskedTask.annotations({ identifier: "AskedTask" }))

const serverOf = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ asked: Schema.Struct({ server: Schema.String }) }))
)

/** A step becomes visible only some time after the time that it has. */
const longestCommit = 60

/**
 * Ends the waits of tasks for answers to questions of tool servers that were removed, renamed or disabled: their calls are made
 * again, and fail with the reason. All such tasks are read when the servers have changed, else those that have begun to wait since the
 * last run.
 */
export const makeEndQuestions = Effect.gen(function*() {
  const sql = yield* SqlClient
  const { answer } = yield* TaskCommands
  const waiting = (seconds: number | null) =>
    askedTasks(sql`select task_id::text, last_tool_call_id as call,
  (select body from steps where task_id = hit.task_id and seq = ${sql.literal(questionStep)}) as step
from actors hit where status = 'waiting_input' and (form is not null or url is not null)
  and (${seconds}::float8 is null or updated_at > now() - ${seconds}::float8 * interval '1 second')`)
  let last = { servers: "", at: 0 }
  return Effect.fnUntraced(function*(configured: Configuration["servers"]) {
    const at = yield* Clock.currentTimeMillis
    const present = new Set(configured.flatMap(({ disabled, name }) => disabled ? [] : [name]))
    const servers = JSON.stringify([...present].toSorted())
    const found = yield* waiting(servers === last.servers ? (at - last.at) / 1_000 + longestCommit : null)
    for (const { call, step, task_id } of found) {
      const server = Option.map(serverOf(step), ({ asked }) => asked.server)
      if (Option.exists(server, (name) => !present.has(name))) {
        yield* answer(task_id, decline, null, { call, given: { action: "decline", expired: true } })
      }
    }
    last = { servers, at }
  })
})
