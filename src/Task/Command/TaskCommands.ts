import { CurrentUser } from "@troupe/api/Authentication"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import type { ServerAnswer } from "@troupe/domain/ServerQuestion"
import { stepText } from "@troupe/domain/StepText"
import { cancellerOf } from "@troupe/domain/TaskOutcome"
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { type Audience, noticesOf } from "../../Delivery/Audience.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements, type Query } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { tasksEnded } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { answer, audiences, cancel, type Hint, retry, steer } from "./CommandStatements.ts"
import { CurrentVia } from "./CurrentVia.ts"
import { archive, removeAll, removeSome, restore } from "./TaskDeletion.ts"

export interface AnswerTo {
  /** The call that asks: the answer applies to no other question. What approves must name it. */
  readonly call?: string | null | undefined
  /** Whether the answer approves the action in question. Default: whether its text is an approval. */
  readonly approves?: boolean | undefined
  /** Whether a button gave its text: what the agent has written is no trusted text. */
  readonly byButton?: boolean | undefined
  /** What the tool server gets that asked. */
  readonly given?: ServerAnswer | undefined
}

/**
 * Changes from outside the actor, each one statement that returns whether it applied. Raising the epoch fences a
 * running actor out.
 */
export class TaskCommands extends Context.Tag("troupe/Task/Command/TaskCommands")<TaskCommands, {
  /** With its subtasks. `by`: the user who cancels, whose notification of the failure is read from the start. */
  readonly cancel: (id: TaskId, error: string, options?: CancelOptions) => Effect.Effect<boolean>
  /** The same for many tasks in one statement, which returns those that it applied to. */
  readonly cancelAll: (
    ids: ReadonlyArray<TaskId>,
    error: string,
    options?: CancelOptions
  ) => Effect.Effect<ReadonlyArray<TaskId>>
  /** A subtask can't be retried once its parent has ended or has started to read the result, because usage is counted then. */
  readonly retry: (id: TaskId) => Effect.Effect<boolean>
  /**
   * Where the question asks for approval, only an answer of the creator, the assignee, an owner or an admin applies; `by`
   * is null for the operator of a self-hosted service. With `call`, only to that call's question; what approves must
   * name it.
   */
  readonly answer: (id: TaskId, text: string, by: UserId | null, options?: AnswerTo) => Effect.Effect<boolean>
  /**
   * Sends a message to a running agent with fewer than `maxUnread` unread ones. `fromOutside`: the sender, who
   * has that name, has no right to the task; the message also reaches an agent that waits for an answer, but is no answer.
   */
  readonly steer: (
    id: TaskId,
    text: string,
    by: UserId | null,
    options?: { readonly fromOutside?: boolean; readonly name?: string }
  ) => Effect.Effect<boolean>
  readonly archive: (id: TaskId) => Effect.Effect<boolean>
  /** Puts an archived task back into the lists; another one stays as it is. */
  readonly restore: (id: TaskId) => Effect.Effect<void>
  /** Deletes those of the tasks that are archived, with their subtasks, and returns what it deleted. */
  readonly removeAll: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<TaskId>>
  /** Deletes up to 200 tasks of a user. Cancel them first, which stops their actors. */
  readonly removeSome: (creator: UserId) => Effect.Effect<ReadonlyArray<TaskId>>
}>() {
  static readonly layer: Layer.Layer<TaskCommands, never, PreparedStatements | TaskSignals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals
      const { origin } = signals
      const run = (query: Query) =>
        database.execute(query).pipe(
          // Two statements over several rows may deadlock; PostgreSQL rolls one of them back, which is then retried.
          Effect.retry({ times: 3, schedule: Schedule.jittered(Schedule.spaced("50 millis")), while: isConflict })
        )
      const change = (hint: Hint, query: Query) =>
        Effect.map(changedTasks(run(query)), (rows) => {
          // A row without a task has the shard of a parent to wake.
          const ids = rows.flatMap((row) => row.shard === null ? [] : row.task_id ?? [])
          if (hint === "revoked") signals.revoked(ids)
          const woken = rows.flatMap((row) => hint === "wake" || row.task_id === null ? row.shard ?? [] : [])
          if (woken.length > 0) signals.wake(woken)
          signals.stepped(ids)
          return { ids, behind: rows.flatMap((row) => row.shard === null ? row.task_id ?? [] : []) }
        })
      /** The user, or who calls, under the name of now, and by which way. */
      const doneBy = (given: UserId | null) =>
        Effect.gen(function*() {
          const by = given ?? Option.getOrNull(yield* Effect.serviceOption(CurrentUser))?.id ?? null
          const [row] = by === null ? [] : yield* asService(namedRows(database.execute(nameOf({ user: by }))))
          return { by, name: row?.name ?? null, via: yield* CurrentVia }
        })
      /** The messages that go with the notification of a failure, by task. */
      const messagesOf = (of: ReadonlyArray<TaskId>) =>
        Effect.map(
          asService(Effect.orDie(database.execute(audiences({ tasks: of })))),
          (rows) =>
            rows.flatMap((row) =>
              noticesOf(1, null, row["audience"] as Audience).map(({ messages }) => ({
                task_id: row["task_id"],
                messages
              }))
            )
        )
      const changeOne = (hint: Hint) => (id: TaskId, query: Query) =>
        Effect.map(change(hint, query), ({ ids }) => ids.includes(id))
      const wake = changeOne("wake")
      const cancelAll = Effect.fnUntraced(
        function*(wanted: ReadonlyArray<TaskId>, error: string, { by = null, silent = false }: CancelOptions = {}) {
          const who = by === null ? {} : yield* doneBy(by)
          const step = stepText({
            kind: "cancelled",
            ...who,
            error: storable(error),
            ...(silent ? { silent } : {})
          })
          const messages = silent ? [] : yield* messagesOf(wanted)
          const pass = (tasks: ReadonlyArray<TaskId>, onlySubtasks: boolean) => {
            const query = cancel({
              tasks,
              origin,
              error: storable(error),
              step,
              isSilent: silent,
              onlySubtasks,
              by,
              canceller: cancellerOf(who),
              messages: JSON.stringify(messages)
            })
            return Effect.tap(change("revoked", query), ({ ids }) => tasksEnded(ids.length, { outcome: "cancelled" }))
          }
          const { behind, ids } = yield* pass(wanted, false)
          // Subtasks that were dispatched while the first pass waited for the row of their task; after it, with the
          // epoch raised, none can be dispatched.
          if (behind.length > 0) yield* pass(behind, true)
          const changed = new Set(ids)
          const cancelled = wanted.filter((id) => changed.has(id))
          for (const id of cancelled) yield* Effect.annotateLogs(Effect.logInfo("Task cancelled"), { task_id: id })
          return cancelled
        }
      )
      return TaskCommands.of({
        cancel: (id, error, options) => Effect.map(cancelAll([id], error, options), ({ length }) => length > 0),
        cancelAll,
        retry: (id) => wake(id, retry({ task: id, origin, step: stepText({ kind: "retried" }) })),
        answer: (id, text, by, { approves = false, byButton = false, call = null, given } = {}) =>
          Effect.flatMap(doneBy(by), (who) => {
            const answered = stepText({ kind: "answered", ...who })
            const decided = stepText({ kind: "answered", ...who, decision: approves ? "approved" : "denied" })
            const query = answer({
              task: id,
              origin,
              answered,
              decided,
              text: JSON.stringify(text),
              by,
              approves,
              call,
              byButton,
              given: given === undefined ? null : JSON.stringify(given)
            })
            return wake(id, query)
          }),
        steer: (id, text, by, { fromOutside = false, name } = {}) =>
          Effect.flatMap(
            doneBy(by),
            (who) =>
              wake(
                id,
                steer({
                  task: id,
                  origin,
                  text: JSON.stringify(text),
                  by,
                  fromOutside,
                  sender: who.by,
                  name: name ?? who.name,
                  via: who.via
                })
              )
          ),
        restore: (id) => Effect.map(Effect.orDie(run(restore({ task: id }))), () => signals.stepped([id])),
        archive: (id) =>
          Effect.map(Effect.orDie(run(archive({ task: id }))), (rows) => {
            signals.stepped([id])
            return rows.length > 0
          }),
        removeAll: (tasks) => Effect.map(change("revoked", removeAll({ tasks, origin })), (removed) => removed.ids),
        removeSome: (creator) => Effect.map(change("revoked", removeSome({ creator, origin })), ({ ids }) => ids)
      })
    })
  )
}

interface CancelOptions {
  readonly silent?: boolean
  readonly by?: UserId | null
}

const nameOf = prepared(
  "tasks_name_of_user",
  ["user"],
  "select coalesce(display_name, name, id) as name from users where id = $user::text"
)

const namedRows = rowsOf(Schema.Struct({ name: Schema.String }))

/** A row of a statement that ends with `changed`. */
const changedTasks = rowsOf(
  Schema.Struct({ task_id: Schema.NullOr(TaskId), shard: Schema.NullOr(Schema.Int) })
    .annotations({ identifier: "ChangedTask" })
)
