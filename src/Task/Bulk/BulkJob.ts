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
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
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

  const change = ({ action, reason }: Open, id: TaskId) => {
    switch (action) {
      case "archive":
        return tasks.archive(id)
      case "cancel":
        return tasks.cancel(id, Option.fromNullable(reason))
      case "retry":
        return tasks.retry(id)
    }
  }

  /** After a crash, a task of the slice may have been changed already. */
  const isChanged = (operation: Open, id: TaskId) =>
    change(operation, id).pipe(
      Effect.as(true),
      Effect.catchTag("TaskStateConflict", () => Effect.map(tasks.find(id), (task) => isAsWanted(operation, task))),
      Effect.catchTags({ TaskNotFound: () => Effect.succeed(false), NotAllowed: () => Effect.succeed(false) })
    )

  /** Counts the changed tasks. Tasks that the common statement did not cancel are tried one by one, which tells the cause. */
  const changeAll = Effect.fnUntraced(function*(operation: Open, ids: ReadonlyArray<TaskId>) {
    const reason = Option.fromNullable(operation.reason)
    const cancelled = new Set(operation.action === "cancel" ? yield* tasks.cancelAll(ids, reason) : [])
    const others = ids.filter((id) => !cancelled.has(id))
    const changed = yield* Effect.forEach(others, (task) => isChanged(operation, task), { concurrency: 4 })
    return cancelled.size + changed.filter((one) => one).length
  })

  const finish = ({ id }: Open, error: string | null) =>
    sql`update bulk_operations set finished_at = now(), slice = null, error = ${error} where id = ${id}`

  /** The tasks of the next slice, stored before the first of them is changed; none: the operation is finished. */
  const nextSlice = Effect.fnUntraced(function*({ cursor, filter, id }: Open) {
    const { items } = yield* tasks.list({ ...filter, cursor, limit: sliceSize })
    const ids = items.map((task) => task.id)
    if (Array.isNonEmptyArray(ids)) {
      yield* sql`update bulk_operations set slice = ${ids}, cursor = ${Array.lastNonEmpty(ids)},
  matched = matched + ${ids.length} where id = ${id}`
    }
    return ids
  })

  const workOn = Effect.fnUntraced(function*(operation: Open) {
    const { creator, id, role, slice } = operation
    const ids = slice ?? (yield* Effect.provideService(nextSlice(operation), CurrentUser, { id: creator, role }))
    if (ids.length === 0) return void (yield* finish(operation, null))
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
