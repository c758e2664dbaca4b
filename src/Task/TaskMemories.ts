import type { TaskId, UserId } from "@troupe/domain/Ids"
import { taskMemory } from "@troupe/domain/Memory"
import { Step } from "@troupe/domain/Step"
import { Array, Duration, Effect, Layer, Schema } from "effect"
import { Memories, type TaskEnding } from "../Memory/Memories.ts"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { shardMarks, Shards } from "./Shards.ts"

/** How often completed tasks are looked for. */
const interval = Duration.seconds(2)

/** After failures (the embedding model is away) it looks less often, but once a minute. */
const pauseAfter = (failures: number): Duration.Duration =>
  Duration.min("1 minute", Duration.times(interval, 2 ** Math.min(failures, 10)))

/**
 * Remembers how the tasks of this runner's shards ended (service.md, "Task lifecycle", 5): what was asked and what
 * came of it, of each completed task once, neither of subtasks nor of failures. It looks for tasks that completed
 * instead of being told, so it costs their completion nothing and no crash loses one: at its start, and when shards
 * come to it, it looks back a day.
 */
export const layer: Layer.Layer<never, never, Memories | PreparedStatements | Shards> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const sweep = yield* makeSweep
    let failures = 0
    yield* sweep.pipe(
      Effect.matchCauseEffect({
        onSuccess: () => Effect.sync(() => failures = 0),
        onFailure: (cause) => {
          failures += 1
          return Effect.logWarning("Completed tasks are not remembered yet", cause)
        }
      }),
      Effect.zipRight(Effect.suspend(() => Effect.sleep(pauseAfter(failures)))),
      Effect.forever,
      Effect.forkScoped
    )
  })
)

/** One look, which remembers what completed since the last one. */
export const makeSweep = Effect.gen(function*() {
  const memories = yield* Memories
  const shards = yield* Shards
  const { execute } = yield* PreparedStatements
  let from = beginning
  let marks = ""

  const remember = (rows: ReadonlyArray<Row>) =>
    Effect.forEach(
      Object.values(Array.groupBy(rows, (row) => String(row["creator"]))),
      (ofOne) =>
        Effect.flatMap(Effect.forEach(ofOne, endingOf), (endings) =>
          memories.remember(ofOne[0]["creator"] as UserId, endings)),
      { discard: true }
    )

  const page = Effect.gen(function*() {
    const rows = yield* execute(completed, [from.at, from.id, marks, pageSize])
    yield* remember(rows.filter((row) => row["creator"] !== null))
    const last = rows.at(-1)
    if (last === undefined) return false
    const [at, horizon] = [String(last["at"]), String(last["horizon"])]
    const isLast = rows.length < pageSize
    from = isLast ? { at: at < horizon ? at : horizon, id: firstId } : { at, id: String(last["task_id"]) }
    return !isLast
  })

  return Effect.suspend(() => {
    const owned = shardMarks(shards.owned())
    if (owned !== marks) from = beginning
    marks = owned
    return Effect.repeat(page, { while: (more) => more })
  })
})

const firstId = "00000000-0000-0000-0000-000000000000"
const beginning = { at: "-infinity", id: firstId }

/** Completed tasks looked at in one statement; those to be remembered are embedded together. */
const pageSize = 64

const decodeStep = Schema.decodeUnknown(Schema.parseJson(Step))

// A step that this version can't read tells of no outcome, but the request is worth remembering.
const endingOf = (row: Row): Effect.Effect<TaskEnding> =>
  Effect.map(Effect.option(decodeStep(row["body"])), (step) => ({
    taskId: row["task_id"] as TaskId,
    content: taskMemory(String(row["description"]), step._tag === "Some" ? outcomeOf(step.value) : "")
  }))

const outcomeOf = (step: Step): string =>
  step.kind === "model" ? step.output ?? step.message.content : step.kind === "forced" ? step.output : ""

/**
 * `creator` is null for a task that is not to be remembered: a subtask, of another's shard, or remembered already. A
 * commit becomes visible some time after the `now()` of its statement, at most 20 s: before `horizon` all is visible.
 */
const completed: Prepared = {
  name: "task_memories_due",
  text: `
with seen as materialized (
  select task_id, completed_at, shard, seq from actors
  where completed_at is not null and error is null
    and (completed_at, task_id) > (greatest($1::timestamptz, now() - interval '1 day'), $2::uuid)
  order by completed_at, task_id limit $4::integer
)
select s.task_id::text, due.creator, due.description, due.body,
  to_char(s.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char((now() - interval '30 seconds') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as horizon
from seen s left join lateral (
  select t.creator, t.description, p.body
  from tasks t join steps p on p.task_id = t.id and p.seq = s.seq
  where t.id = s.task_id and t.task_type = 'task' and substr($3::text, s.shard, 1) = '1'
    and not exists (select from remembered_tasks r where r.task_id = s.task_id)
) due on true
order by s.completed_at, s.task_id`
}
