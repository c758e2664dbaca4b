import { TaskId, type UserId } from "@troupe/domain/Ids"
import { Effect, Layer, Schema } from "effect"
import { MemberTasks } from "../People/Team.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { isConflict } from "../Runtime/Database/Sql.ts"
import { hasEnded } from "./Actor/ActorConditions.ts"
import { TaskCommands } from "./TaskCommands.ts"

/** Cancels the tasks of a user that have not ended, with their subtasks. Nobody is notified. */
export const makeCancelAll = Effect.map(
  Effect.all([TaskCommands, PreparedStatements]),
  ([{ cancel }, { execute }]) => (userId: UserId, reason: string): Effect.Effect<void> =>
    taskIds(execute(active, [userId])).pipe(
      Effect.flatMap(Effect.forEach(({ id }) => cancel(id, reason, { silent: true }), { concurrency: 4 })),
      Effect.repeat({ while: ({ length }) => length > 0 }),
      Effect.asVoid
    )
)

export const layerMemberTasks: Layer.Layer<MemberTasks, never, PreparedStatements | TaskCommands> = Layer.effect(
  MemberTasks,
  Effect.gen(function*() {
    const cancelAll = yield* makeCancelAll
    const { execute } = yield* PreparedStatements
    return MemberTasks.of({
      end: (userId) =>
        cancelAll(userId, "Cancelled: its creator is no longer a member of the team.").pipe(
          Effect.zipRight(Effect.retry(execute(unassigned, [userId]), { times: 3, while: isConflict })),
          Effect.orDie,
          asService
        )
    })
  })
)

const taskIds = rowsOf(Schema.Struct({ id: TaskId }))

const active: Prepared = {
  name: "user_active_tasks",
  text: `select t.id::text from tasks t join actors a on a.task_id = t.id
where t.creator = $1::text and not ${hasEnded("a.status")} order by t.id limit 100`
}

const unassigned: Prepared = {
  name: "user_unassigned",
  text: `update tasks t set assignee = null from actors a
where t.assignee = $1::text and a.task_id = t.id and not ${hasEnded("a.status")}`
}
