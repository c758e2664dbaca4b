import type { TaskId, UserId } from "@troupe/domain/Ids"
import { taskMemory } from "@troupe/domain/Memory"
import { Step } from "@troupe/domain/Step"
import { outcomeOf } from "@troupe/domain/TaskLog"
import { Array, Cause, Chunk, Duration, Effect, Exit, Layer, Schema, Stream } from "effect"
import { Memories, type TaskEnding } from "../Memory/Memories.ts"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { TaskSignals } from "./TaskSignals.ts"

/** How often completed tasks are looked for. */
const interval = Duration.seconds(2)

/** After failures (the embedding model is away) it looks less often, but once a minute. */
const pauseAfter = (failures: number): Duration.Duration =>
  Duration.min("1 minute", Duration.times(interval, 2 ** Math.min(failures, 10)))

/**
 * Remembers how tasks ended (service.md, "Task lifecycle", 5): what was asked and what came of it, of each completed
 * task once, neither of subtasks nor of failures. The process that ended a task remembers it at once, in the background:
 * its completion does not wait. A sweep, one in the cluster, finds those that were missed, so that no crash loses one: a
 * worker that takes the sweep over begins a day back.
 */
export const layer: Layer.Layer<never, never, Memories | PreparedStatements | ScheduledJobs | TaskSignals> = Layer
  .scopedDiscard(
    Effect.gen(function*() {
      yield* Effect.forkScoped(yield* makeRemembering)
      const jobs = yield* ScheduledJobs
      yield* jobs.every({ name: "task_memories", scope: "cluster", interval, pauseAfter, run: yield* makeSweep })
    })
  )

/** Remembers tasks as they complete, many at a time under load. What fails or overflows is left to the sweep. */
export const makeRemembering = Effect.gen(function*() {
  const memories = yield* Memories
  const { completions } = yield* TaskSignals
  const { execute } = yield* PreparedStatements
  const remember = (tasks: ReadonlyArray<TaskId>) =>
    Effect.flatMap(
      execute(ended, [tasks]),
      (rows) =>
        // One user's failure must not interrupt what is saved for others.
        Effect.forEach(groupsOf(rows), ([user, ofOne]) => Effect.exit(remembered(memories, user, ofOne)), {
          concurrency: maxUsers
        })
    ).pipe(
      // Where all of them fail, the embedding model or the database is away.
      Effect.flatMap((exits) => {
        const [first] = exits
        return first !== undefined && exits.every(Exit.isFailure) ? first : Effect.void
      }),
      // The sweep tries again, and warns if it fails too; a model that is away is not asked for each task.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logDebug("Remembering completed tasks failed; the sweep retries", cause),
          Effect.sleep(interval)
        )
      )
    )
  return Stream.runForEach(Stream.chunks(completions), (tasks) => remember(Chunk.toReadonlyArray(tasks)))
})

/**
 * One look, which remembers what completed since the last one. Users whose memories can't be kept hold up nobody else:
 * the others come first, and the look fails in the end. After several failures it goes no further.
 */
export const makeSweep = Effect.gen(function*() {
  const memories = yield* Memories
  const { execute } = yield* PreparedStatements
  /** All that completed before is remembered. */
  let from = "-infinity"
  /** Users whose last attempt failed, who waits longest first. */
  const failing = new Set<UserId>()

  const attempt = (user: UserId, rows: ReadonlyArray<Row>) =>
    remembered(memories, user, rows).pipe(
      Effect.exit,
      Effect.tap((exit) =>
        Effect.sync(() => {
          failing.delete(user)
          if (Exit.isFailure(exit)) failing.add(user)
        })
      )
    )

  const look = Effect.gen(function*() {
    const late = new Map([...failing].slice(0, mostLate).map((user) => [user, noRows]))
    const failures: Array<Cause.Cause<unknown>> = []
    let cursor = { at: from, id: firstId }
    // Of the first page: what becomes visible before it while later pages are read is left to the next look.
    let known: string | null = null
    let more = true
    while (more) {
      const rows: ReadonlyArray<Row> = yield* execute(completed, [cursor.at, cursor.id, pageSize])
      const last = rows.at(-1)
      if (last === undefined) break
      known ??= String(last["horizon"])
      for (const [user, ofOne] of groupsOf(rows)) {
        if (!failing.has(user)) {
          const exit = yield* attempt(user, ofOne)
          if (Exit.isFailure(exit)) failures.push(exit.cause)
        } else if (late.get(user) === noRows) late.set(user, ofOne)
        if (failing.has(user)) known = earlier(known, String(ofOne[0]["at"]))
        if (failures.length === mostFailures) break
      }
      if (failures.length === mostFailures) break
      cursor = { at: String(last["at"]), id: String(last["task_id"]) }
      from = earlier(cursor.at, known)
      more = rows.length === pageSize
    }
    const fresh = failures.length
    for (const [user, rows] of late) {
      if (rows === noRows) {
        if (fresh < mostFailures) failing.delete(user)
        continue
      }
      const exit = yield* attempt(user, rows)
      if (Exit.isFailure(exit)) failures.push(exit.cause)
      if (failures.length - fresh === mostFailures) break
    }
    if (failures.length > 0) return yield* Effect.failCause(failures.reduce(Cause.sequential))
  })

  return look
})

/** Users whose tasks are remembered at the same time. */
const maxUsers = 4

const firstId = "00000000-0000-0000-0000-000000000000"

/** Failures after which a look ends: they are not one user's then, but the model's or the database's. */
const mostFailures = 5

/** Users who failed before and are tried again in one look. */
const mostLate = 32

const noRows: ReadonlyArray<Row> = []

const earlier = (one: string, other: string): string => one < other ? one : other

/** The rows of each user who has something to be remembered. */
const groupsOf = (rows: ReadonlyArray<Row>) =>
  Object.entries(Array.groupBy(rows.filter((row) => row["creator"] !== null), (row) => String(row["creator"])))
    .map(([user, ofOne]) => [user as UserId, ofOne] as const)

/** Completed tasks looked at in one statement; those to be remembered are embedded together. */
const pageSize = 64

const decodeStep = Schema.decodeUnknown(Schema.parseJson(Step))

const remembered = (memories: Memories["Type"], user: UserId, rows: ReadonlyArray<Row>) =>
  Effect.flatMap(
    endingsOf(rows),
    (endings) => endings.length === 0 ? Effect.void : memories.remember(user, endings)
  )

/** What is to be remembered of these rows. A task that ended with nothing but a report has no outcome to remember. */
const endingsOf = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<TaskEnding>> =>
  Effect.map(
    Effect.forEach(rows, (row) =>
      Effect.map(Effect.option(decodeStep(row["body"])), (step): TaskEnding | null => {
        // A step that this version can't read tells of no outcome, but the request is worth remembering.
        const outcome = step._tag === "Some" ? outcomeOf(step.value) : ""
        return outcome === null
          ? null
          : { taskId: row["task_id"] as TaskId, content: taskMemory(String(row["description"]), outcome) }
      })),
    (endings) => endings.flatMap((ending) => ending === null ? [] : [ending])
  )

const ended: Prepared = {
  name: "task_memories_ended",
  text: `select t.id::text as task_id, t.creator, t.description, p.body
from unnest($1::uuid[]) as e(id)
join actors a on a.task_id = e.id join tasks t on t.id = e.id join steps p on p.task_id = e.id and p.seq = a.seq
where a.status = 'completed' and t.task_type = 'task'
  and not exists (select from remembered_tasks r where r.task_id = e.id)`
}

/**
 * `creator` is null for a task that is not to be remembered: a subtask, or one that is remembered already. A
 * commit becomes visible some time after the `now()` of its statement, at most 20 s: before `horizon` all is visible.
 */
const completed: Prepared = {
  name: "task_memories_due",
  text: `
with seen as materialized (
  select task_id, completed_at, seq from actors
  where completed_at is not null and error is null
    and (completed_at, task_id) > (greatest($1::timestamptz, now() - interval '1 day'), $2::uuid)
  order by completed_at, task_id limit $3::integer
)
select s.task_id::text, due.creator, due.description, due.body,
  to_char(s.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char((now() - interval '30 seconds') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as horizon
from seen s left join lateral (
  select t.creator, t.description, p.body
  from tasks t join steps p on p.task_id = t.id and p.seq = s.seq
  where t.id = s.task_id and t.task_type = 'task'
    and not exists (select from remembered_tasks r where r.task_id = s.task_id)
) due on true
order by s.completed_at, s.task_id`
}
