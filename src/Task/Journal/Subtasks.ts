import { TaskId } from "@troupe/domain/Ids"
import { Step } from "@troupe/domain/Step"
import type { EndedSubtask, SubtaskOutcome } from "@troupe/domain/Subtask"
import { announcedResultOf, endOf, outputsOf } from "@troupe/domain/TaskOutcome"
import { Clock, Effect, Schema } from "effect"
import { v7 } from "uuid"
import type { SubtaskPort } from "../../Agent/AgentDependencies.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { hasEnded } from "../Row/StatusConditions.ts"

export const makeSubtasks: Effect.Effect<SubtaskPort, never, PreparedStatements> = Effect.map(
  PreparedStatements,
  ({ execute }) => ({
    newIds: (count) =>
      Effect.map(
        Clock.currentTimeMillis,
        (msecs) => Array.from({ length: count }, () => TaskId.make(v7({ msecs }))).sort()
      ),
    ended: (ids) => Effect.map(endedRows(execute(ended({ tasks: ids }))), (rows) => rows.map(endedOf))
  })
)

const EndedRow = Schema.Struct({
  id: TaskId,
  status: Schema.NullOr(Schema.Literal("completed", "failed")),
  error: Schema.NullOr(Schema.String),
  tokens: Schema.NullOr(Schema.Int),
  cost: Schema.NullOr(Schema.Finite),
  seq: Schema.NullOr(Schema.Int),
  body: Schema.NullOr(Schema.parseJson(Step)),
  isOutside: Schema.Boolean,
  isPrivate: Schema.Boolean
})

const endedRows = rowsOf(EndedRow)

const endedOf = (
  { body, cost, error, id, isOutside, isPrivate, seq, status, tokens }: typeof EndedRow.Type
): EndedSubtask => {
  const outputs = body === null ? [] : outputsOf({ seq: seq ?? 0, at: "", step: body })
  const outcome: SubtaskOutcome = status === "completed"
    ? {
      _tag: "Completed",
      end: (body === null ? null : endOf(body)) ?? { by: "answer", detail: null },
      text: (body === null ? null : announcedResultOf(body)) ?? "",
      files: outputs.flatMap(({ filename }) => filename === null ? [] : [filename])
    }
    : { _tag: "Failed", error: error ?? "it was deleted" }
  return {
    task: id,
    tokens,
    cost,
    outcome,
    shown: {
      ...(isOutside ? { outside: "the result of a subagent that had seen something from outside" } : {}),
      ...(isPrivate ? { private: true } : {})
    }
  }
}

const ended = prepared(
  "subtasks_ended",
  ["tasks"],
  `select w.id::text, a.status, a.error,
  case when a.task_id is not null then least(a.input_tokens::bigint + a.output_tokens, 2147483647)::integer end as tokens,
  a.cost, s.seq, s.body, a.outside_since is not null as "isOutside", a.private_since is not null as "isPrivate"
from unnest($tasks::uuid[]) as w(id)
left join actors a on a.task_id = w.id
left join lateral (select seq, body from steps where task_id = a.task_id order by seq desc limit 1) s on true
where a.status is null or ${hasEnded("a.status")}`
)
