import type { ShardingConfig } from "@effect/cluster/ShardingConfig"
import type { SqlClient } from "@effect/sql/SqlClient"
import { defaultLimit } from "@troupe/api/Listing"
import type { TaskFilter } from "@troupe/api/TaskFilter"
import type { UsageQuery } from "@troupe/api/TaskRequests"
import type { Caller } from "@troupe/domain/Caller"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type { JournalledStep } from "@troupe/domain/Step"
import { TaskNotFound, ToolAccess } from "@troupe/domain/Task"
import { maxCount, type TaskCounts } from "@troupe/domain/TaskCounts"
import { DayUsage, type UserUsage } from "@troupe/domain/Usage"
import { Role } from "@troupe/domain/User"
import { Array, Context, Effect, Layer, Schema, Struct } from "effect"
import type { ById } from "../../People/User/Access.ts"
import { isGuest } from "../../People/User/Guests.ts"
import { asService, statementCaller } from "../../Runtime/Database/Isolation.ts"
import type { Page } from "../../Runtime/Database/Page.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { makeIdempotencyKeys } from "../Claim/IdempotencyKeys.ts"
import { type InsertTask, makeInsert } from "../Claim/TaskInsert.ts"
import type { Shards } from "../Row/Shards.ts"
import { stepColumns, StepRow, summaryColumns, taskColumns, TaskRow } from "../Row/TaskRow.ts"
import type { TaskSignals } from "../Row/TaskSignals.ts"
import { searchIds } from "./BoundedSearch.ts"
import { countsOfTasks, statusCounts } from "./CountStatements.ts"
import { countRows, countsOf } from "./StatusCounts.ts"
import type { ListedTasks } from "./TaskConditions.ts"
import { foundTasks } from "./TaskListing.ts"
import { usage } from "./UserHours.ts"

export type FindWithSteps = (
  id: TaskId
) => Effect.Effect<{ readonly row: TaskRow; readonly steps: ReadonlyArray<JournalledStep> }, TaskNotFound>

export interface ChainLink {
  readonly row: TaskRow
  /** The last step alone. */
  readonly steps: ReadonlyArray<JournalledStep>
  readonly toolAccess: ToolAccess
  readonly hasSeenOutside: boolean
  readonly hasSeenPrivate: boolean
  /** The ids of all links, also of deleted ones. */
  readonly chain: ReadonlyArray<TaskId>
  readonly reader: Caller & { readonly isGuest: boolean }
}

type PermittedOf = (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<TaskId>>

/** Rows of tasks. An unreachable database is a defect: no caller can act on it. */
export class TaskRepo extends Context.Tag("troupe/Task/Read/TaskRepo")<
  TaskRepo,
  Effect.Effect.Success<typeof makeIdempotencyKeys> & {
    readonly insert: InsertTask
    readonly findRow: (id: TaskId) => Effect.Effect<TaskRow, TaskNotFound>
    readonly findWhole: FindWithSteps
    /** With the last step alone, which has the outputs of a task that is finished. */
    readonly findEnd: FindWithSteps
    /** The task, and those that it follows, newest first: a continuation of it follows them all. Deleted ones are missing. */
    readonly findChain: (id: TaskId, reader: UserId) => Effect.Effect<ReadonlyArray<ChainLink>>
    readonly list: (query: ListedTasks) => Effect.Effect<Page<TaskRow, TaskId>, SearchUnfinished>
    readonly counts: (filter: ById<TaskFilter>) => Effect.Effect<TaskCounts, SearchUnfinished>
    readonly usage: (userId: UserId, period: UsageQuery) => Effect.Effect<UserUsage, SearchUnfinished>
    /** Those of the tasks that the caller may change; the service itself may change every task. */
    readonly changeable: PermittedOf
    /** The same for their deletion, to which an assignee has no right. */
    readonly deletable: PermittedOf
    readonly archived: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<TaskId>>
  }
>() {
  static readonly layer: Layer.Layer<
    TaskRepo,
    never,
    PreparedStatements | SearchStatements | ShardingConfig | Shards | SqlClient | TaskSignals
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const searches = yield* SearchStatements

      const insert = yield* makeInsert

      const permitted = (statement: typeof changeable): PermittedOf => (ids) =>
        Effect.flatMap(statementCaller, (caller) =>
          caller === null
            ? Effect.succeed(ids)
            : Effect.map(permittedRows(database.execute(statement({ tasks: ids }))), Array.map(({ id }) => id)))

      const withSteps = (id: TaskId, statement: typeof findWhole) =>
        Effect.map(
          onlyRow(id, wholeRows(database.execute(statement({ task: id })))),
          ({ steps, ...row }) => ({ row, steps })
        )

      // A policy would keep a search from using the index of words, so the statement itself is restricted.
      const withReader = <A, E>(
        { q }: Pick<TaskFilter, "q">,
        read: (reader: Caller | null) => Effect.Effect<A, E>
      ): Effect.Effect<A, E> =>
        Effect.flatMap(statementCaller, (reader) => q === undefined ? read(reader) : asService(read(reader)))

      const search = searchIds(searches.execute)

      return TaskRepo.of({
        insert,
        ...yield* makeIdempotencyKeys,
        findRow: (id) => onlyRow(id, taskRows(database.execute(findRow({ task: id })))),
        findWhole: (id) => withSteps(id, findWhole),
        findEnd: (id) => withSteps(id, findEnd),
        findChain: (id, reader) =>
          Effect.map(
            chainRows(database.execute(findChain({ task: id, reader }))),
            Array.map(({ chain, hasSeenOutside, hasSeenPrivate, isGuest, role, steps, toolAccess, ...row }) => ({
              row,
              steps,
              toolAccess,
              hasSeenOutside,
              hasSeenPrivate,
              chain,
              reader: { id: reader, role: role ?? "member", isGuest }
            }))
          ),
        list: ({ limit = defaultLimit, ...query }) =>
          withReader(
            query,
            Effect.fnUntraced(function*(reader) {
              const { end, ids } = yield* search({ ...query, limit: limit + 1 }, reader)
              const rows = yield* listedRows(searches.execute(foundTasks({ ids })))
              const items = rows.slice(0, limit)
              if ((rows[0]?.found ?? 0) > items.length) return { items, hasMore: true }
              // A task that was deleted meanwhile is missing.
              const last = ids.length > limit ? ids[limit - 1] ?? null : end
              return last === null ? { items, hasMore: false } : { items, hasMore: true, end: last }
            })
          ),
        counts: (filter) =>
          withReader(
            filter,
            Effect.fnUntraced(function*(reader) {
              const { end, ids } = yield* search({ ...filter, limit: maxCount }, reader)
              const newest = yield* countRows(searches.execute(countsOfTasks({ ids })))
              if (ids.length < maxCount && end === null) return countsOf(newest, null)
              return countsOf(
                newest,
                filter.q === undefined ? yield* countRows(searches.execute(statusCounts(filter, reader))) : []
              )
            })
          ),
        usage: (userId, { from = null, to = null }) =>
          Effect.flatMap(
            usages(asService(searches.execute(usage({ user: userId, from, to })))),
            ([total, ...days]) =>
              total === undefined
                ? Effect.dieMessage("An aggregate gave no row")
                : Effect.succeed({
                  user_id: userId,
                  ...Struct.omit(total, "date"),
                  days: days.map(({ date, ...used }) => ({ date: date ?? "", ...used })),
                  spending: []
                })
          ),
        changeable: permitted(changeable),
        deletable: permitted(deletable),
        archived: (ids) =>
          Effect.map(permittedRows(database.execute(archived({ tasks: ids }))), Array.map(({ id }) => id))
      })
    })
  )
}

const onlyRow = <A>(id: TaskId, rows: Effect.Effect<ReadonlyArray<A>>): Effect.Effect<A, TaskNotFound> =>
  Effect.flatMap(rows, ([row]) => row === undefined ? new TaskNotFound({ id }) : Effect.succeed(row))

const permittedRows = rowsOf(Schema.Struct({ id: TaskId }))
const taskRows = rowsOf(TaskRow)
const wholeRows = rowsOf(
  Schema.Struct({ ...TaskRow.fields, steps: Schema.Array(StepRow) }).annotations({ identifier: "TaskRow" })
)
const chainRows = rowsOf(
  Schema.Struct({
    ...TaskRow.fields,
    steps: Schema.Array(StepRow),
    toolAccess: ToolAccess,
    hasSeenOutside: Schema.Boolean,
    hasSeenPrivate: Schema.Boolean,
    chain: Schema.Array(TaskId),
    role: Schema.NullOr(Role),
    isGuest: Schema.Boolean
  }).annotations({ identifier: "TaskRow" })
)
const listedRows = rowsOf(
  Schema.Struct({ ...TaskRow.fields, found: Schema.Int }).annotations({ identifier: "TaskRow" })
)
const usages = rowsOf(Schema.Struct({ ...DayUsage.fields, date: Schema.NullOr(Schema.String) }))

const findRow = prepared(
  "tasks_find_row",
  ["task"],
  `select ${taskColumns} from tasks t join actors a on a.task_id = t.id where t.id = $task::uuid`
)

const stepsWhere = (condition: string): string =>
  `(
  select coalesce(json_agg(s order by s.seq), '[]') from (select ${stepColumns} from steps where ${condition}) s
) as steps`

const withStepsWhere = (condition: string): string =>
  `select ${taskColumns}, ${stepsWhere(condition)}
from tasks t join actors a on a.task_id = t.id where t.id = $task::uuid`

const findWhole = prepared("tasks_find_whole", ["task"], withStepsWhere("task_id = t.id"))

const findEnd = prepared("tasks_find_end", ["task"], withStepsWhere("task_id = t.id and seq = a.seq"))

/** Reads tasks by their primary keys alone: the row of the newest one has the ids of the others. */
const findChain = prepared(
  "tasks_find_chain",
  ["task", "reader"],
  `select ${summaryColumns}, ${stepsWhere("task_id = t.id and seq = a.seq")}, t.tool_access as "toolAccess",
  a.outside_since is not null as "hasSeenOutside", a.private_since is not null as "hasSeenPrivate",
  n.chain::text[] as chain, (select u.role from users u where u.id = $reader::text) as role,
  ${isGuest("$reader::text")} as "isGuest"
from (
  select id || coalesce(chain, array_remove(array[continued_from], null)) as chain from tasks where id = $task::uuid
) n cross join lateral unnest(n.chain) with ordinality c (id, place)
join tasks t on t.id = c.id join actors a on a.task_id = t.id
order by c.place`
)

const changeable = prepared(
  "tasks_changeable",
  ["tasks"],
  "select id::text from unnest($tasks::uuid[]) id where caller_may_change(id)"
)

const archived = prepared(
  "tasks_archived",
  ["tasks"],
  "select id::text from tasks where id = any($tasks::uuid[]) and archived_at is not null"
)

const deletable = prepared(
  "tasks_deletable",
  ["tasks"],
  "select id::text from unnest($tasks::uuid[]) id where caller_may_delete(id)"
)
