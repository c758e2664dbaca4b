import { SqlClient } from "@effect/sql/SqlClient"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import { Array, Effect, Layer, Schema } from "effect"
import { MemberTasks } from "../../People/Team/Team.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { hasEnded } from "../Row/StatusConditions.ts"
import { TaskCommands } from "./TaskCommands.ts"

/** Cancels the tasks of a user that have not ended, with their subtasks. Nobody is notified. */
export const makeCancelAll = Effect.map(
  Effect.all([TaskCommands, SqlClient]),
  ([{ cancelAll }, sql]) => (userId: UserId, reason: string): Effect.Effect<void> =>
    taskIds(sql`select t.id::text from tasks t join actors a on a.task_id = t.id
where t.creator = ${userId} and not ${sql.literal(hasEnded("a.status"))} order by t.id limit 100`).pipe(
      Effect.map(Array.map(({ id }) => id)),
      Effect.tap((ids) => cancelAll(ids, reason, { silent: true })),
      Effect.repeat({ while: Array.isNonEmptyReadonlyArray }),
      Effect.asVoid
    )
)

export const layerMemberTasks: Layer.Layer<MemberTasks, never, SqlClient | TaskCommands> = Layer.effect(
  MemberTasks,
  Effect.gen(function*() {
    const cancelAll = yield* makeCancelAll
    const sql = yield* SqlClient
    return MemberTasks.of({
      end: (userId) =>
        cancelAll(userId, "Cancelled: its creator is no longer a member of the team.").pipe(
          Effect.zipRight(Effect.retry(unassign(sql, userId), { times: 3, while: isConflict })),
          Effect.orDie,
          asService
        )
    })
  })
)

const taskIds = rowsOf(Schema.Struct({ id: TaskId }))

const unassign = (sql: SqlClient, userId: UserId) =>
  sql`update tasks t set assignee = null from actors a
where t.assignee = ${userId} and a.task_id = t.id and not ${sql.literal(hasEnded("a.status"))}`
