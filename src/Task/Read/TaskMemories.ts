import { TaskId, UserId } from "@troupe/domain/Ids"
import { MemoryOrigin, taskMemory } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Step } from "@troupe/domain/Step"
import { outcomeOf } from "@troupe/domain/TaskOutcome"
import type { Array } from "effect"
import { Cause, Chunk, Duration, Effect, Exit, Layer, Option, Schedule, Schema, Stream } from "effect"
import { Memories, type TaskEnding } from "../../Memory/Memories.ts"
import type { ModelError } from "../../Model/Model.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"

const interval = Duration.seconds(2)
const sweepInterval = Duration.seconds(30)

/** After failures (the embedding model is unavailable) the sweep runs less often, at least once a minute. */
const schedule = Schedule.identity<number>().pipe(
  Schedule.addDelay((failures) => Duration.min("1 minute", Duration.times(sweepInterval, 2 ** Math.min(failures, 10))))
)

/**
 * Saves the request and outcome of each completed task once, in the background of the process that ended it. A sweep,
 * one in the cluster, finds those that were missed.
 */
export const layer: Layer.Layer<never, never, Memories | PreparedStatements | ScheduledJobs | TaskSignals> = Layer
  .scopedDiscard(
    Effect.gen(function*() {
      yield* Effect.forkScoped(yield* makeRemembering)
      const jobs = yield* ScheduledJobs
      yield* jobs.start({ name: "task_memories", scope: "cluster", schedule, run: yield* makeSweep })
    })
  )

/** Remembers tasks as they complete, many at a time under load. What fails or overflows is left to the sweep. */
export const makeRemembering = Effect.gen(function*() {
  const memories = yield* Memories
  const { completions } = yield* TaskSignals
  const { execute } = yield* PreparedStatements
  const remember = (tasks: ReadonlyArray<TaskId>) =>
    Effect.flatMap(
      endedTasks(execute(ended({ tasks }))),
      (rows) =>
        // One user's failure must not interrupt what is saved for others.
        Effect.forEach(byUser(rows), ([user, ofUser]) => Effect.exit(remembered(memories, user, ofUser)), {
          concurrency: maxUsers
        })
    ).pipe(
      // Where all of them fail, the embedding model or the database is unavailable.
      Effect.flatMap((exits) => {
        const [first] = exits
        return first !== undefined && exits.every(Exit.isFailure) ? first : Effect.void
      }),
      // The sweep tries again, and warns if it fails too; an unavailable model is not asked for each task.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logDebug("Saving memories of completed tasks failed; the next sweep retries it", cause),
          Effect.sleep(interval)
        )
      )
    )
  return Stream.runForEach(Stream.chunks(completions), (tasks) => remember(Chunk.toReadonlyArray(tasks)))
})

/**
 * Saves what completed since the last sweep. A user whose memories can't be saved delays no other one, and is tried again
 * by the next sweep. Several errors of the model end the sweep.
 */
export const makeSweep = Effect.gen(function*() {
  const memories = yield* Memories
  const { execute } = yield* PreparedStatements
  let from = "-infinity"

  return Effect.gen(function*() {
    const failures = new Map<UserId, Cause.Cause<unknown>>()
    let cursor = { at: from, id: firstId }
    let modelErrors = 0
    // That of the first page: ends that become visible while later pages are read are left to the next sweep.
    let settledBefore: string | null = null
    let more = true
    while (more) {
      const rows: ReadonlyArray<CompletedTask> = yield* completedTasks(
        execute(completed({ at: cursor.at, task: cursor.id, limit: pageSize }))
      )
      const last = rows.at(-1)
      if (last === undefined) break
      settledBefore ??= last.horizon
      for (const [user, ofUser] of byUser(rows)) {
        if (!failures.has(user)) {
          const exit = yield* Effect.exit(remembered(memories, user, ofUser))
          if (Exit.isFailure(exit)) {
            failures.set(user, exit.cause)
            if (isOfModel(exit.cause) && ++modelErrors === maxModelErrors) return yield* exit
          }
        }
        if (failures.has(user)) settledBefore = earliest(settledBefore, ofUser[0].at)
      }
      cursor = { at: last.at, id: last.task_id }
      from = earliest(cursor.at, settledBefore)
      more = rows.length === pageSize
    }
    if (failures.size > 0) return yield* Effect.failCause([...failures.values()].reduce(Cause.sequential))
  })
})

/** Errors of the model that end a sweep: one may be caused by its text; so many show that the model is unavailable or refuses the service. */
const maxModelErrors = 5

const isOfModel = (cause: Cause.Cause<ModelError | SearchUnfinished>): boolean =>
  Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag !== "SearchUnfinished")

const maxUsers = 4

const firstId = "00000000-0000-0000-0000-000000000000"

const earliest = (one: string, other: string): string => one < other ? one : other

const byUser = <R extends EndedTask>(rows: ReadonlyArray<R>) => {
  const users = new Map<UserId, Array.NonEmptyArray<R>>()
  for (const row of rows) {
    if (row.creator === null) continue
    const ofUser = users.get(row.creator)
    if (ofUser === undefined) users.set(row.creator, [row])
    else ofUser.push(row)
  }
  return users
}

/** `creator` is null for a task that is not to be remembered. */
const EndedTask = Schema.Struct({
  task_id: TaskId,
  creator: Schema.NullOr(UserId),
  description: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(MemoryOrigin)
}).annotations({ identifier: "EndedTask" })
type EndedTask = typeof EndedTask.Type
const endedTasks = rowsOf(EndedTask)

const CompletedTask = Schema.Struct({ ...EndedTask.fields, at: Schema.String, horizon: Schema.String })
  .annotations({ identifier: "CompletedTask" })
type CompletedTask = typeof CompletedTask.Type
const completedTasks = rowsOf(CompletedTask)

const pageSize = 64

const decodeStep = Schema.decodeUnknown(Schema.parseJson(Step))

const remembered = (memories: Memories["Type"], user: UserId, rows: ReadonlyArray<EndedTask>) =>
  Effect.flatMap(
    endingsOf(rows),
    (endings) => endings.length === 0 ? Effect.void : memories.remember(user, endings)
  )

const endingsOf = (rows: ReadonlyArray<EndedTask>): Effect.Effect<ReadonlyArray<TaskEnding>> =>
  Effect.map(
    Effect.forEach(rows, ({ body, description, origin, task_id: taskId }) =>
      Effect.map(Effect.option(decodeStep(body)), (step): TaskEnding | null => {
        // This version can't read the step, but the request is worth remembering.
        const outcome = step._tag === "Some" ? outcomeOf(step.value) : ""
        return outcome === null || description === null
          ? null
          : { taskId, content: taskMemory(description, outcome), origin }
      })),
    (endings) =>
      endings.flatMap((ending) =>
        ending === null ? [] : [ending]
      )
  )

const origin = "case when a.outside_since is not null then 'outside' end"

const ended = prepared(
  "task_memories_ended",
  ["tasks"],
  `select t.id::text as task_id, t.creator, t.description, p.body, ${origin} as origin
from unnest($tasks::uuid[]) as e(id)
join actors a on a.task_id = e.id join tasks t on t.id = e.id join steps p on p.task_id = e.id and p.seq = a.seq
where a.status = 'completed' and t.task_type = 'task' and t.tool_access <> 'read'
  and not exists (select from remembered_tasks r where r.task_id = e.id)`
)

/** Before `horizon`, 30 s ago, every commit is visible. */
const completed = prepared(
  "task_memories_due",
  ["at", "task", "limit"],
  `
with seen as materialized (
  select task_id, completed_at, seq, ${origin} as origin from actors a
  where completed_at is not null and error is null
    and (completed_at, task_id) > (greatest($at::timestamptz, now() - interval '1 day'), $task::uuid)
  order by completed_at, task_id limit $limit::integer
)
select s.task_id::text, due.creator, due.description, due.body, s.origin,
  ${timestamp("s.completed_at", "at")}, ${timestamp("(now() - interval '30 seconds')", "horizon")}
from seen s left join lateral (
  select t.creator, t.description, p.body
  from tasks t join steps p on p.task_id = t.id and p.seq = s.seq
  where t.id = s.task_id and t.task_type = 'task' and t.tool_access <> 'read'
    and not exists (select from remembered_tasks r where r.task_id = s.task_id)
) due on true
order by s.completed_at, s.task_id`
)
