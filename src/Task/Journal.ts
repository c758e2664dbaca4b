import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { noticesOf } from "@troupe/domain/Notification"
import type { Run } from "@troupe/domain/Run"
import { type JournalledStep, Step } from "@troupe/domain/Step"
import type { TaskState } from "@troupe/domain/TaskState"
import { Context, Data, Effect, Layer, Schedule, Schema } from "effect"
import * as GroupCommit from "../Runtime/GroupCommit.ts"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { isRefusal, isUnavailable } from "../Runtime/SqlFailure.ts"
import { storable } from "../Runtime/StorableText.ts"
import { TaskSignals } from "./TaskSignals.ts"

/** What becomes of the actor's wake-up with a step. */
export type Wake =
  /** The actor goes on: the wake-up stays due, so that whoever owns the shard finds the task should this actor fall. */
  | { readonly _tag: "Keep" }
  /** The task waits or is over: nothing wakes it but a command. */
  | { readonly _tag: "Park" }
  /** So many milliseconds from now, by the database's clock: the runners' clocks may differ. */
  | { readonly _tag: "After"; readonly millis: number }

/** One step of one task, to be appended under the writer's epoch as number `seq`. */
export interface StepWrite {
  readonly taskId: TaskId
  readonly epoch: number
  readonly seq: number
  readonly step: Step
  readonly state: TaskState
  /** Null while the run is not restored: what the row says of it then stays. */
  readonly run: Run | null
  readonly progress: number
  readonly wake: Wake
  /** How many runs have tried what comes after this step. */
  readonly attempts: number
  /** How many commands the writer knows of; an unknown one overrules `Park`. */
  readonly inboxSeen: number
  /** Keys of the commands that this step acts on. */
  readonly consumed: ReadonlyArray<string>
}

/** The write changed nothing: another epoch or step number stands in the row. The writer must end, silently. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly taskId: TaskId }> {}

/** The database refuses the step, or did not take it within the time that the journal waits for it. */
export class JournalFailed extends Data.TaggedError("JournalFailed")<{ readonly cause: SqlError }> {
  get isRefusal(): boolean {
    return isRefusal(this.cause)
  }
}

/**
 * The append-only journal of every task: one row a step, together with the actor row, and with the notifications that
 * the step of a task (not of a subtask) causes its creator, in one statement. Steps that fall due together go as one statement; each caller continues only after its own commit. While the database is away
 * a write waits for it, up to half a minute.
 */
export class Journal extends Context.Tag("troupe/Task/Journal")<Journal, {
  readonly append: (write: StepWrite) => Effect.Effect<void, Fenced | JournalFailed>
  /** The steps after number `after`, oldest first. */
  readonly read: (taskId: TaskId, after: number) => Effect.Effect<ReadonlyArray<JournalledStep>>
}>() {
  static readonly layer: Layer.Layer<Journal, never, PreparedStatements | TaskSignals> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals

      const write = Effect.fnUntraced(function*(writes: ReadonlyArray<Encoded>) {
        const statement = appends(writes.some((entry) => entry.consumes), writes.some((entry) => entry.notifies))
        const json = `[${writes.map((entry) => entry.json).join(",")}]`
        let tries = 0
        const rows = yield* Effect.suspend(() => {
          tries += 1
          return database.execute(statement, [json, signals.origin, tries > 1])
        }).pipe(Effect.retry({ schedule: outage, while: isUnavailable }))
        const moved = new Set(rows.map((row) => row["task_id"]))
        signals.stepped(writes.flatMap((entry) => (moved.has(entry.taskId) ? [entry.taskId] : [])))
        return writes.map((entry) => moved.has(entry.taskId))
      })
      const commit = yield* GroupCommit.make({
        write,
        maxGroup,
        maxWeight: maxBytes,
        weigh: ({ json }: Encoded) => json.length,
        writers: 1,
        isRefusal
      })

      return Journal.of({
        append: (entry) =>
          commit(encode(entry)).pipe(
            Effect.mapError((cause) => new JournalFailed({ cause })),
            Effect.filterOrFail((moved) => moved, () => new Fenced({ taskId: entry.taskId })),
            Effect.asVoid
          ),
        read: (taskId, after) =>
          database.execute(read, [taskId, after]).pipe(
            Effect.orDie,
            Effect.flatMap(Effect.forEach((row) => decodeRow(row))),
            Effect.orDie
          )
      })
    })
  )
}

/** The most steps that go as one statement. */
const maxGroup = 256

/** The most characters that go as one statement; a larger step goes alone. */
const maxBytes = 8 * 1024 * 1024

/** An outage is waited for: 0.1 s, 0.2 s, ... 2 s, for half a minute in all. */
const outage = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("2 seconds")),
  Schedule.upTo("30 seconds")
)

const wakeColumn = (
  wake: Wake
): number => (wake._tag === "Keep" ? -1 : wake._tag === "Park" ? 0 : Math.max(1, wake.millis))

const clean = (text: string | null): string | null => text === null ? null : storable(text)

interface Encoded {
  readonly taskId: TaskId
  readonly json: string
  readonly consumes: boolean
  readonly notifies: boolean
}

const encode = (entry: StepWrite): Encoded => {
  const notices = entry.state.type === "task" ? noticesOf(entry.step).length : 0
  return {
    taskId: entry.taskId,
    json: JSON.stringify(rowOf(entry, notices)),
    consumes: entry.consumed.length > 0,
    notifies: notices > 0
  }
}

const rowOf = (entry: StepWrite, notices: number) => ({
  task_id: entry.taskId,
  epoch: entry.epoch,
  seq: entry.seq,
  body: JSON.stringify(entry.step),
  status: entry.state.status,
  question: clean(entry.state.question),
  last_tool_call_id: clean(entry.state.lastToolCallId),
  error: clean(entry.state.error),
  plan: clean(entry.run?.plan ?? null),
  iteration_count: entry.run?.iterations ?? null,
  recursion_count: entry.run?.recursions ?? null,
  input_tokens: entry.run?.inputTokens ?? null,
  output_tokens: entry.run?.outputTokens ?? null,
  model_calls: entry.run?.modelCalls ?? null,
  tool_calls: entry.run?.toolCalls ?? null,
  progress: entry.progress,
  attempts: entry.attempts,
  wake: wakeColumn(entry.wake),
  inbox_seen: entry.inboxSeen,
  ...(entry.consumed.length === 0 ? {} : { consumed: entry.consumed }),
  ...(notices === 0 ? {} : { notices })
})

const appended = `
with input as (
  select * from json_to_recordset($1::json) as i(
    task_id uuid, epoch integer, seq integer, body text, status text, question text, last_tool_call_id text,
    error text, plan text, iteration_count integer, recursion_count integer, input_tokens integer,
    output_tokens integer, model_calls integer, tool_calls integer, progress smallint, attempts smallint, wake bigint,
    inbox_seen integer, consumed text[], notices integer)
), moved as (
  update actors a set
    seq = i.seq, updated_at = now(),
    iteration_count = coalesce(i.iteration_count, a.iteration_count),
    recursion_count = coalesce(i.recursion_count, a.recursion_count),
    input_tokens = coalesce(i.input_tokens, a.input_tokens), output_tokens = coalesce(i.output_tokens, a.output_tokens),
    model_calls = coalesce(i.model_calls, a.model_calls), tool_calls = coalesce(i.tool_calls, a.tool_calls),
    progress = i.progress, status = i.status, question = i.question, last_tool_call_id = i.last_tool_call_id,
    error = i.error, plan = coalesce(i.plan, a.plan), runner = case when i.wake = -1 then a.runner end,
    attempts = i.attempts,
    completed_at = case when i.status in ('completed', 'failed') then now() end,
    wake_at = case
      when i.wake = -1 then a.wake_at
      when i.status in ('completed', 'failed') then null
      when a.inbox_sent > i.inbox_seen then least(a.wake_at, now())
      when i.wake = 0 then null
      else now() + i.wake * interval '1 millisecond' end
  from input i
  where a.task_id = i.task_id and a.epoch = i.epoch and a.seq = i.seq - 1
  returning a.task_id, i.seq, clock_timestamp()::timestamptz(3) as at, i.body, i.consumed, a.creator, i.notices,
    a.watched_until > now() as watched
), written as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, body from moved
)`

const consumed = `, consumed as (
  delete from inbox b using moved m where b.task_id = m.task_id and b.key = any(m.consumed)
)`

const noticed = `, noticed as (
  insert into notifications (id, user_id, task_id, seq)
  select notification_id(m.at, m.task_id, m.seq, n), m.creator, m.task_id, m.seq
  from moved m, generate_series(0, m.notices - 1) n
)`

/**
 * Only steps of a task that somebody watches in another process are told of. At a second try ($3) a step that stands
 * there already under our epoch is the one that the first try committed without our hearing of it: nobody else writes
 * under it.
 */
const told = `
select task_id, case when watched and $2::text is not null then
  pg_notify('troupe_steps', $2::text || ' ' || task_id) end from moved
union all
select i.task_id, null from input i join actors a on a.task_id = i.task_id
where $3::boolean and a.epoch = i.epoch and a.seq = i.seq`

/** Without what no step of the group does. */
const appends = (consumes: boolean, notifies: boolean): Prepared => ({
  name: `journal_append${consumes ? "_consume" : ""}${notifies ? "_notify" : ""}`,
  text: `${appended}${consumes ? consumed : ""}${notifies ? noticed : ""}${told}`
})

const read: Prepared = {
  name: "journal_read",
  text: `select seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, body
from steps where task_id = $1::uuid and seq > $2::integer order by seq`
}

const decodeRow = Schema.decodeUnknown(
  Schema.Struct({ seq: Schema.Int, at: Schema.String, body: Schema.parseJson(Step) }).pipe(
    Schema.transform(
      Schema.typeSchema(Schema.Struct({ seq: Schema.Int, at: Schema.String, step: Step })),
      {
        strict: true,
        decode: ({ at, body, seq }) => ({ seq, at, step: body }),
        encode: ({ at, seq, step }) => ({ seq, at, body: step })
      }
    )
  )
)
