import { TaskId, type UserId } from "@troupe/domain/Ids"
import { stepText } from "@troupe/domain/Step"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { isConflict } from "../Runtime/Database/Sql.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { answer, cancel, type Hint, retry, steer } from "./CommandStatements.ts"
import { TaskSignals } from "./Events/TaskSignals.ts"
import { archive, remove, removeSome } from "./TaskDeletion.ts"
import { tasksEnded } from "./TaskMetrics.ts"
import type { AnswerTo } from "./Tasks.ts"

/**
 * Changes from outside the actor, each one statement that returns whether it applied. Raising the epoch fences a
 * running actor out.
 */
export class TaskCommands extends Context.Tag("troupe/Task/TaskCommands")<TaskCommands, {
  /** `by`: the user who cancels, whose notification of the failure is read from the start. */
  readonly cancel: (
    id: TaskId,
    error: string,
    options?: { readonly silent?: boolean; readonly by?: UserId | null }
  ) => Effect.Effect<boolean>
  /** A subtask can't be retried once its parent has ended or has started to read the result, because usage is counted then. */
  readonly retry: (id: TaskId) => Effect.Effect<boolean>
  /**
   * Where the question asks for approval, only an answer of the creator, the assignee, an owner or an admin applies; `by`
   * is null for the operator of a self-hosted service. With `call`, only to that call's question; what approves must
   * name it.
   */
  readonly answer: (id: TaskId, text: string, by: UserId | null, options?: AnswerTo) => Effect.Effect<boolean>
  /**
   * Sends a message to a running agent with fewer than `maxUnread` unread ones. `fromOutside`: the sender has no
   * right to the task; the message also reaches an agent that waits for an answer, but is no answer.
   */
  readonly steer: (
    id: TaskId,
    text: string,
    by: UserId | null,
    options?: { readonly fromOutside: boolean }
  ) => Effect.Effect<boolean>
  readonly archive: (id: TaskId) => Effect.Effect<boolean>
  /** Deletes an archived task, with its subtasks. */
  readonly remove: (id: TaskId) => Effect.Effect<boolean>
  /** Deletes up to 200 tasks of a user. Cancel them first, which stops their actors. */
  readonly removeSome: (creator: UserId) => Effect.Effect<ReadonlyArray<TaskId>>
}>() {
  static readonly layer: Layer.Layer<TaskCommands, never, PreparedStatements | TaskSignals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals
      const run = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        database.execute(statement, values).pipe(
          // Two statements over several rows may deadlock; PostgreSQL rolls one of them back, which is then retried.
          Effect.retry({ times: 3, schedule: Schedule.jittered(Schedule.spaced("50 millis")), while: isConflict })
        )
      const change = (hint: Hint, statement: Prepared, of: TaskId | UserId, ...values: ReadonlyArray<unknown>) =>
        Effect.map(changedTasks(run(statement, [of, signals.origin, ...values])), (rows) => {
          // A row without a task has the shard of a parent to wake.
          const ids = rows.flatMap((row) => row.task_id ?? [])
          if (statement === cancel) tasksEnded(ids.length, { outcome: "cancelled" })
          if (hint === "revoked") signals.revoked(ids)
          const woken = rows.filter((row) => hint === "wake" || row.task_id === null)
          if (woken.length > 0) signals.wake(woken.map((row) => row.shard))
          signals.stepped(ids)
          return ids
        })
      const changeOne = (hint: Hint) => (statement: Prepared, id: TaskId, ...values: ReadonlyArray<unknown>) =>
        Effect.map(change(hint, statement, id, ...values), (ids) => ids.includes(id))
      const revoke = changeOne("revoked")
      const wake = changeOne("wake")
      return TaskCommands.of({
        cancel: (id, error, { by = null, silent = false } = {}) =>
          Effect.suspend(() => {
            const step = stepText({ kind: "cancelled", error: storable(error), ...(silent ? { silent } : {}) })
            const pass = (isSecond: boolean) => revoke(cancel, id, storable(error), step, silent, isSecond, by)
            // The second pass finds subtasks that were dispatched while the first one waited for the task's row; after
            // the first one, with the epoch raised, none can be dispatched.
            return Effect.tap(
              Effect.zipLeft(pass(false), pass(true)),
              (isCancelled) =>
                isCancelled ? Effect.annotateLogs(Effect.logInfo("Task cancelled"), { task_id: id }) : Effect.void
            )
          }),
        retry: (id) => wake(retry, id, stepText({ kind: "retried" })),
        answer: (id, text, by, { approves = false, call = null } = {}) =>
          wake(answer, id, stepText({ kind: "answered", by }), JSON.stringify(text), by, approves, call),
        steer: (id, text, by, { fromOutside } = { fromOutside: false }) =>
          wake(steer, id, JSON.stringify(text), by, fromOutside),
        archive: (id) =>
          Effect.map(Effect.orDie(run(archive, [id])), (rows) => {
            signals.stepped([id])
            return rows.length > 0
          }),
        remove: (id) => revoke(remove, id),
        removeSome: (creator) => change("revoked", removeSome, creator)
      })
    })
  )
}

/** A row of a statement that ends with `changed`. */
const changedTasks = rowsOf(
  Schema.Struct({ task_id: Schema.NullOr(TaskId), shard: Schema.Int }).annotations({ identifier: "ChangedTask" })
)
