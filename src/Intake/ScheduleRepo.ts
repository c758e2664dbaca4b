import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { ScheduleId, type ScheduleStatus } from "@troupe/domain/Schedule"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { QueueSignals } from "../Runtime/QueueSignals.ts"
import { storable } from "../Runtime/StorableText.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"
import { scheduleColumns, ScheduleRow } from "./ScheduleRow.ts"

export interface NewScheduleRow {
  readonly id: ScheduleId
  readonly user_id: UserId
  readonly kind: ScheduleRow["kind"]
  readonly message: string
  readonly title: string | null
  readonly at: DateTime.Utc | null
  readonly cron: string | null
  readonly timezone: string
  readonly channel_id: string | null
  readonly thread_ts: string | null
  readonly next_run_at: DateTime.Utc
  readonly created_at: DateTime.Utc
}

export interface DueSchedule {
  readonly id: ScheduleId
  readonly due_at: string
}

export interface ScheduleFilter {
  readonly userId: Option.Option<UserId>
  readonly status: Option.Option<ScheduleStatus>
  readonly limit: number
  readonly cursor: Option.Option<ScheduleId>
}

/** Rows of schedules. A database that can't be reached is a defect here, because no caller can act on it. */
export class ScheduleRepo extends Context.Tag("troupe/Intake/ScheduleRepo")<ScheduleRepo, {
  /** False, and nothing is inserted, if the user has `limit` schedules that have not ended. */
  readonly insert: (row: NewScheduleRow, limit: number) => Effect.Effect<boolean>
  readonly find: (id: ScheduleId) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly list: (filter: ScheduleFilter) => Effect.Effect<ReadonlyArray<ScheduleRow>>
  readonly pause: (id: ScheduleId) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly resume: (id: ScheduleId, next: DateTime.Utc) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly end: (id: ScheduleId) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly remove: (id: ScheduleId) => Effect.Effect<boolean>
  /** Removes at most `limit` of them, and returns how many. */
  readonly removeEnded: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  /** Due schedules, the longest due first, behind one of them. */
  readonly due: (now: DateTime.Utc, page: {
    readonly after: Option.Option<DueSchedule>
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<DueSchedule>>
  /** The earliest run, or attempt of one, after a time. */
  readonly nextAfter: (now: DateTime.Utc) => Effect.Effect<Option.Option<DateTime.Utc>>
  /** The row, locked until the end of the transaction; none while another process has it. */
  readonly lock: (id: ScheduleId) => Effect.Effect<Option.Option<ScheduleRow>>
  /** Plans the next run; none: there is no further one, and the schedule ends. */
  readonly move: (id: ScheduleId, next: Option.Option<DateTime.Utc>) => Effect.Effect<void>
  /** Counts a failed attempt, and plans the next. */
  readonly retry: (id: ScheduleId, at: DateTime.Utc) => Effect.Effect<void>
  readonly ran: (id: ScheduleId, run: {
    readonly at: DateTime.Utc
    readonly taskId: Option.Option<TaskId>
  }) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ScheduleRepo, never, QueueSignals | SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.zipWith(SqlClient.SqlClient, QueueSignals, makeRepo)
  )
}

/** Sorts before every schedule that is due. */
const first: DueSchedule = { id: ScheduleId.make("00000000-0000-0000-0000-000000000000"), due_at: "-infinity" }

/** Sorts after every other. */
const lastId = ScheduleId.make("ffffffff-ffff-ffff-ffff-ffffffffffff")

const iso = (time: DateTime.Utc | null): string | null => time === null ? null : DateTime.formatIso(time)

function makeRepo(sql: SqlClient.SqlClient, { origin, send }: QueueSignals["Type"]): ScheduleRepo["Type"] {
  /** Wakes the scheduler, which may sleep until a later run. */
  const planned = Effect.zipRight(
    origin === null ? Effect.void : Effect.asVoid(sql`select pg_notify('troupe_schedules', ${origin})`),
    Effect.sync(() => send("troupe_schedules"))
  )
  const columns = sql.literal(scheduleColumns)
  const found = { Request: ScheduleId, Result: ScheduleRow }

  const find = SqlSchema.findOne({
    ...found,
    execute: (id) => sql`select ${columns} from schedules where id = ${id}::uuid`
  })

  const lock = SqlSchema.findOne({
    ...found,
    execute: (id) => sql`select ${columns} from schedules where id = ${id}::uuid for update skip locked`
  })

  const list = SqlSchema.findAll({
    Request: Schema.Struct({
      userId: Schema.NullOr(UserId),
      status: Schema.NullOr(Schema.String),
      limit: Schema.Int,
      cursor: ScheduleId
    }),
    Result: ScheduleRow,
    execute: ({ cursor, limit, status, userId }) =>
      sql`select ${columns} from schedules
where (${userId}::text is null or user_id = ${userId}::text) and (${status}::text is null or status = ${status}::text)
  and id < ${cursor}::uuid order by id desc limit ${limit}`
  })

  const pause = SqlSchema.findOne({
    ...found,
    execute: (id) =>
      sql`update schedules set status = 'paused', next_run_at = null
where id = ${id}::uuid and status <> 'done' returning ${columns}`
  })

  const end = SqlSchema.findOne({
    ...found,
    execute: (id) =>
      sql`update schedules set status = 'done', next_run_at = null, ended_at = coalesce(ended_at, now())
where id = ${id}::uuid returning ${columns}`
  })

  const resume = SqlSchema.findOne({
    Request: Schema.Struct({ id: ScheduleId, next: Schema.String }),
    Result: ScheduleRow,
    execute: ({ id, next }) =>
      sql`update schedules set status = 'active', next_run_at = ${next}::timestamptz, failures = 0, retry_at = null
where id = ${id}::uuid and status = 'paused' returning ${columns}`
  })

  const due = SqlSchema.findAll({
    Request: Schema.Struct({ now: Schema.String, id: ScheduleId, due_at: Schema.String, limit: Schema.Int }),
    Result: Schema.Struct({ id: ScheduleId, due_at: Schema.String }),
    execute: ({ due_at, id, limit, now }) =>
      sql`select id::text, ${sql.literal(timestamp("due_at", "due_at"))} from schedules
where due_at <= ${now}::timestamptz and (due_at, id) > (${due_at}::timestamptz, ${id}::uuid)
order by schedules.due_at, schedules.id limit ${limit}`
  })

  const nextAfter = SqlSchema.single({
    Request: Schema.String,
    Result: Schema.Struct({ next: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
    execute: (now) => sql`select min(due_at) as next from schedules where due_at > ${now}::timestamptz`
  })

  return ScheduleRepo.of({
    insert: (row, limit) =>
      Effect.zipRight(
        // Two that are made at the same time would both find room for the last one.
        sql`select pg_advisory_xact_lock(hashtextextended('troupe schedules ' || ${row.user_id}, 0))`,
        sql`insert into schedules
  (id, user_id, kind, message, title, at, cron, timezone, channel_id, thread_ts, next_run_at, created_at)
select ${row.id}::uuid, ${row.user_id}, ${row.kind}, ${storable(row.message)}, ${
          row.title === null ? null : storable(row.title)
        },
  ${iso(row.at)}::timestamptz, ${row.cron}, ${row.timezone}, ${row.channel_id}, ${row.thread_ts}, ${
          iso(row.next_run_at)
        }::timestamptz, ${iso(row.created_at)}::timestamptz
where (select count(*) from schedules where user_id = ${row.user_id} and status <> 'done') < ${limit}
returning 1`
      ).pipe(
        sql.withTransaction,
        Effect.zipLeft(planned),
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    find: (id) => Effect.orDie(find(id)),
    list: ({ cursor, limit, status, userId }) =>
      Effect.orDie(list({
        userId: Option.getOrNull(userId),
        status: Option.getOrNull(status),
        limit,
        cursor: Option.getOrElse(cursor, () => lastId)
      })),
    pause: (id) => Effect.orDie(pause(id)),
    resume: (id, next) => Effect.orDie(Effect.zipLeft(resume({ id, next: DateTime.formatIso(next) }), planned)),
    end: (id) => Effect.orDie(end(id)),
    remove: (id) =>
      sql`delete from schedules where id = ${id}::uuid returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    removeEnded: (before, limit) =>
      sql`delete from schedules where id in (
  select id from schedules where ended_at < ${DateTime.formatIso(before)}::timestamptz order by ended_at limit ${limit}
) returning 1`.pipe(Effect.map(({ length }) => length), Effect.orDie),
    due: (now, { after, limit }) =>
      Effect.orDie(due({ now: DateTime.formatIso(now), limit, ...Option.getOrElse(after, () => first) })),
    nextAfter: (now) =>
      Effect.orDie(Effect.map(nextAfter(DateTime.formatIso(now)), ({ next }) => Option.fromNullable(next))),
    lock: (id) => Effect.orDie(lock(id)),
    move: (id, next) =>
      Option.match(next, {
        onNone: () => Effect.orDie(Effect.asVoid(end(id))),
        onSome: (time) =>
          Effect.asVoid(Effect.orDie(
            sql`update schedules set next_run_at = ${
              DateTime.formatIso(time)
            }::timestamptz, failures = 0, retry_at = null
where id = ${id}::uuid`
          ))
      }),
    retry: (id, at) =>
      sql`update schedules set failures = failures + 1, retry_at = ${DateTime.formatIso(at)}::timestamptz
where id = ${id}::uuid`.pipe(Effect.asVoid, Effect.orDie),
    ran: (id, { at, taskId }) =>
      sql`update schedules set last_run_at = ${DateTime.formatIso(at)}::timestamptz,
  last_task_id = coalesce(${Option.getOrNull(taskId)}::uuid, last_task_id) where id = ${id}::uuid`.pipe(
        Effect.asVoid,
        Effect.orDie
      )
  })
}
