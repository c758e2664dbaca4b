import { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { BulkFilter } from "@troupe/api/TaskFilter"
import { BulkAction } from "@troupe/domain/BulkOperation"
import { TaskId, UserId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import { Role } from "@troupe/domain/User"
import { Array, Effect, Layer, Option, Schedule, Schema } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { nextCursor } from "../../Runtime/Database/Page.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"
import { Tasks } from "../UseCase/Tasks.ts"

/** Makes the changes of bulk operations, in one process at a time. */
export const layer: Layer.Layer<never, never, Signals | ScheduledJobs | SqlClient | Tasks> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const signals = yield* Signals
    yield* jobs.start({
      name: "bulk_operations",
      scope: "cluster",
      schedule: Schedule.spaced("1 minute"),
      wakeUps: signals.receive("troupe_bulk"),
      run: yield* makeRun
    })
  })
)

/** Tasks that are looked at before the progress is saved. */
const sliceSize = 100

/** A task may have hundreds of steps. */
const removedAtOnce = 10

const Open = Schema.Struct({
  id: Schema.String,
  creator: UserId,
  role: Role,
  action: BulkAction,
  filter: Schema.parseJson(
    Schema.Struct({ ...BulkFilter.fields, creator: Schema.optional(UserId), assignee: Schema.optional(UserId) })
  ),
  reason: Schema.NullOr(Schema.String),
  cursor: TaskId,
  slice: Schema.NullOr(Schema.Array(TaskId))
})
type Open = typeof Open.Type
const openRows = rowsOf(Open)

/** Works until no operation is open: users take turns with a slice of their oldest one. */
export const makeRun = Effect.gen(function*() {
  const sql = yield* SqlClient
  const tasks = yield* Tasks
  let last = ""

  const change = (action: Exclude<BulkAction, "delete">, reason: string | null, id: TaskId) => {
    switch (action) {
      case "archive":
        return tasks.archive(id)
      case "cancel":
        return tasks.cancel(id, Option.fromNullable(reason))
      case "restore":
        return tasks.restore(id)
      case "retry":
        return tasks.retry(id)
    }
  }

  /** After a crash, a task of the slice may have been changed already. */
  const isChanged = (operation: Open, id: TaskId) =>
    operation.action === "delete"
      ? Effect.match(tasks.findWithoutLogs(id), { onFailure: () => true, onSuccess: () => false })
      : change(operation.action, operation.reason, id).pipe(
        Effect.as(true),
        Effect.catchTag("TaskStateConflict", () => Effect.map(tasks.find(id), (task) => isAsWanted(operation, task))),
        Effect.catchTags({ TaskNotFound: () => Effect.succeed(false), NotAllowed: () => Effect.succeed(false) })
      )

  const removeAll = (ids: ReadonlyArray<TaskId>) =>
    Effect.suspend(() => {
      const left = [...ids]
      const removed: Array<TaskId> = []
      const some = Effect.suspend(() => tasks.removeArchived(left.splice(0, removedAtOnce)))
      return Effect.as(
        inSlices(Effect.tap(some, (ids) => Effect.sync(() => removed.push(...ids))), () => left.length > 0),
        removed
      )
    })

  const changeTogether = ({ action, reason }: Open, ids: ReadonlyArray<TaskId>) => {
    switch (action) {
      case "cancel":
        return tasks.cancelAll(ids, Option.fromNullable(reason))
      case "delete":
        return removeAll(ids)
      default:
        return Effect.succeed([])
    }
  }

  /** Counts the changed tasks. Tasks that no common statement changed are tried one by one, which tells the cause. */
  const changeAll = Effect.fnUntraced(function*(operation: Open, ids: ReadonlyArray<TaskId>) {
    const together = new Set(yield* changeTogether(operation, ids))
    const others = ids.filter((id) => !together.has(id))
    const changed = yield* Effect.forEach(others, (task) => isChanged(operation, task), { concurrency: 4 })
    return ids.length - others.length + changed.filter((one) => one).length
  })

  const finish = ({ id }: Open, error: string | null) =>
    sql`update bulk_operations set finished_at = now(), slice = null, error = ${error} where id = ${id}`

  /** The tasks of the next slice, stored before the first of them is changed; null: the operation is finished. */
  const nextSlice = Effect.fnUntraced(function*({ action, cursor, filter, id }: Open) {
    const archived = action === "delete" || action === "restore"
    const page = yield* tasks.list({ ...filter, archived, cursor, limit: sliceSize })
    const ids = page.items.map((task) => task.id)
    const next = nextCursor(page) ?? Option.getOrNull(Array.last(ids))
    if (next !== null) {
      yield* sql`update bulk_operations set slice = ${ids}, cursor = ${next}, matched = matched + ${ids.length} where id = ${id}`
    }
    return next === null ? null : ids
  })

  const workOn = Effect.fnUntraced(function*(operation: Open) {
    const { creator, id, role, slice } = operation
    const ids = slice ?? (yield* Effect.provideService(nextSlice(operation), CurrentUser, { id: creator, role }))
    if (ids === null) return void (yield* finish(operation, null))
    const done = yield* Effect.provideService(changeAll(operation, ids), CurrentUser, { id: creator, role })
    yield* sql`update bulk_operations set slice = null, done = done + ${done}, failed = failed + ${ids.length - done}
where id = ${id}`
  })

  const work = (operation: Open) =>
    workOn(operation).pipe(
      Effect.catchTag("SearchUnfinished", ({ message }) => finish(operation, message)),
      // The caller has lost the seat, or its role.
      Effect.catchSomeDefect((defect) =>
        defect instanceof ProblemError ? Option.some(finish(operation, defect.message)) : Option.none()
      )
    )

  const next = Effect.suspend(() =>
    openRows(sql`select id::text, creator, role, action, filter, reason, cursor::text, slice::text[]
from bulk_operations where finished_at is null order by creator <= ${last}, creator, created_at, id limit 1`)
  )

  return next.pipe(
    Effect.tap(Effect.forEach((operation) => {
      last = operation.creator
      return work(operation)
    }, { discard: true })),
    Effect.repeat({ while: (found) => found.length > 0 })
  )
})

const isAsWanted = ({ action, reason }: Open, { error, status }: Task): boolean =>
  action === "retry"
    ? status === "pending" || status === "running"
    : action === "cancel" && status === "failed" && error === (reason === null ? "Cancelled." : `Cancelled: ${reason}`)
