import { SqlClient } from "@effect/sql/SqlClient"
import { ScheduleId, TaskId, UserId } from "@troupe/domain/Ids"
import type { UnattendedWork, WorkHealth } from "@troupe/domain/Unattended"
import { Effect, Schema } from "effect"
import { unattendedColumns, UnattendedRow } from "../../Delivery/WorkHealth.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable, storableOrNull } from "../../Runtime/Database/StorableText.ts"
import { hasEnded } from "../../Task/Row/StatusConditions.ts"
import type { Deliveries } from "./Judgement.ts"

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

/** Ended tasks of unattended work, newest first; one that a person cancelled says nothing about it. */
const resultsOf = (condition: string) =>
  `coalesce((
  select json_agg(json_build_object('id', r.id, 'at', ${
    millis("r.completed_at")
  }, 'error', r.error, 'hasFailed', r.status = 'failed') order by r.id desc)::text
  from (
    select t.id, a.completed_at, a.error, a.status
    from (select id from tasks where ${condition} and task_type = 'task' order by id desc limit ${lookback * 2}) t
    join actors a on a.task_id = t.id
    where ${hasEnded("a.status")} and a.completed_at is not null and a.ended_by is distinct from 'cancelled'
    order by t.id desc limit ${lookback}
  ) r
), '[]')`

/** Ended tasks that a look reads of each. */
const lookback = 20

const Ended = Schema.Struct({
  id: TaskId,
  at: Schema.Number,
  error: Schema.NullOr(Schema.String),
  hasFailed: Schema.Boolean
})
export type Ended = typeof Ended.Type
const Results = Schema.parseJson(Schema.Array(Ended))

const WatchedSchedule = Schema.Struct({
  id: ScheduleId,
  user_id: UserId,
  kind: Schema.Literal("task", "reminder"),
  title: Schema.NullOr(Schema.String),
  message: Schema.String,
  cron: Schema.NullOr(Schema.String),
  timezone: Schema.String,
  expects: Schema.NullOr(Schema.Literal("output")),
  failures: Schema.Int,
  next_run: Schema.NullOr(Schema.Number),
  last_run: Schema.NullOr(Schema.Number),
  results: Results
}).annotations({ identifier: "WatchedSchedule" })
export type WatchedSchedule = typeof WatchedSchedule.Type

const Known = Schema.Struct({
  ...UnattendedRow.fields,
  last_event: Schema.NullOr(Schema.Number),
  silent_from: Schema.NullOr(Schema.Number),
  longest_gap: Schema.NullOr(Schema.Number),
  looked: Schema.Number
}).annotations({ identifier: "KnownWork" })
export type Known = typeof Known.Type

export const makeUnattendedStatements = Effect.map(SqlClient, (sql) => ({
  known: rowsOf(Known)(sql.unsafe(`select ${unattendedColumns}, ${millis("h.last_event_at")} as last_event,
  ${millis("h.silent_from")} as silent_from, h.longest_gap, ${millis("h.looked_at")} as looked from unattended h`)),
  /** Those that run, and those that were paused because they can't, by id. */
  schedules: (after: string, limit: number) =>
    rowsOf(WatchedSchedule)(
      sql`select s.id::text, s.user_id, s.kind, s.title, left(s.message, 1000) as message, s.cron, s.timezone, s.expects, s.failures,
  ${sql.literal(millis("s.next_run_at"))} as next_run, ${sql.literal(millis("s.last_run_at"))} as last_run,
  ${sql.literal(resultsOf("schedule_id = s.id"))} as results
from schedules s where s.id > ${after}::uuid and (s.status = 'active' or s.status = 'paused' and s.failures >= ${gaveUpFrom})
order by s.id limit ${limit}`
    ),
  ofWebhooks: (type: string) =>
    rowsOf(Schema.Struct({ results: Results }))(
      sql`select ${sql.literal(resultsOf("webhook_type = w.type"))} as results from (select ${
        storable(type)
      }::text as type) w`
    ),
  /** The newest deliveries of a type after a time. */
  deliveries: (type: string, after: number | null) =>
    rowsOf(Schema.Struct({ at: Schema.Number }))(
      sql`select ${sql.literal(millis("received_at"))} as at from inbound_messages
where source = 'webhook' and type = ${storable(type)}
  and ${sql.literal(millis("received_at"))} > coalesce(${after}::float8, '-infinity')
order by id desc limit ${maxDeliveries}`
    ),
  ends: (tasks: ReadonlyArray<TaskId>) =>
    rowsOf(Schema.Struct({ id: TaskId, body: Schema.String }))(
      sql`select a.task_id::text as id, s.body from actors a join steps s on s.task_id = a.task_id and s.seq = a.seq
where a.task_id = any(${tasks}::uuid[])`
    ),
  /** Whether this look is the first to find it so: false if another one has written since `before` was read. */
  write: (
    { health, id, kind, name }: UnattendedWork,
    before: WorkHealth | null,
    { lastAt, longestGap, silentFrom }: Deliveries
  ) =>
    Effect.map(
      Effect.orDie(sql`insert into unattended as h
  (kind, id, name, state, since, last_ok_at, last_error, failures_in_a_row, missed, last_event_at, silent_from, longest_gap, looked_at)
values (${kind}, ${storable(id)}, ${
        storable(name)
      }, ${health.state}, ${health.since}::timestamptz, ${health.last_ok_at}::timestamptz,
  ${
        storableOrNull(health.last_error)
      }, ${health.failures_in_a_row}, ${health.missed}, to_timestamp(${lastAt}::float8 / 1000),
  to_timestamp(${silentFrom}::float8 / 1000), ${longestGap}, now())
on conflict (kind, id) do update set name = excluded.name, state = excluded.state, since = excluded.since,
  last_ok_at = excluded.last_ok_at, last_error = excluded.last_error, failures_in_a_row = excluded.failures_in_a_row,
  missed = excluded.missed, last_event_at = excluded.last_event_at, silent_from = excluded.silent_from,
  longest_gap = excluded.longest_gap, looked_at = excluded.looked_at
where h.state = ${before?.state ?? null} returning 1`),
      ({ length }) => length > 0
    ),
  forget: ({ id, kind }: Pick<UnattendedWork, "id" | "kind">) =>
    Effect.orDie(sql`delete from unattended where kind = ${kind} and id = ${id}`)
}))

/** Failed attempts to begin a run after which a schedule is paused. */
const gaveUpFrom = 7

const maxDeliveries = 500
