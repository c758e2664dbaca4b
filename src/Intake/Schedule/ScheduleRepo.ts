import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { ScheduleId, TaskId, UserId } from "@troupe/domain/Ids"
import type { ScheduleStatus } from "@troupe/domain/Schedule"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { idBefore, type PageRequest } from "../../Runtime/Database/Page.ts"
import { rowOf, rowsOf, theRow } from "../../Runtime/Database/Query.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { storable, storableOrNull } from "../../Runtime/Database/StorableText.ts"
import { scheduleColumns, ScheduleRow } from "./ScheduleRow.ts"

/** What a request decides. */
export type PlannedSchedule = Omit<ScheduleRow, "due_at" | "failures" | "health" | "last_run_at" | "last_task_id">

export interface ScheduleFilter extends PageRequest<ScheduleId> {
  readonly user_id?: UserId | null | undefined
  readonly status?: ScheduleStatus | null | undefined
}

const makeRepo = (sql: SqlClient, { origin, send }: Signals["Type"]) => {
  /** Wakes the scheduler, which may sleep until a later run. */
  const planned = Effect.zipRight(
    origin === null ? Effect.void : Effect.asVoid(sql`select pg_notify('troupe_schedules', ${origin})`),
    Effect.sync(() => send("troupe_schedules"))
  )
  const columns = sql.literal(scheduleColumns)
  type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError>
  const changed = (statement: Statement) => Effect.map(Effect.orDie(statement), ({ length }) => length)

  /** Whether the statement has changed a row. Two at the same time would both find room for the user's last schedule. */
  const withinLimit = ({ user_id }: PlannedSchedule, statement: Statement) =>
    sql`select pg_advisory_xact_lock(hashtextextended('troupe schedules ' || ${user_id}, 0))`.pipe(
      Effect.zipRight(statement),
      sql.withTransaction,
      Effect.zipLeft(planned),
      Effect.map(({ length }) => length > 0),
      Effect.orDie
    )

  const end = (id: ScheduleId) =>
    scheduleRow(
      sql`update schedules set status = 'done', next_run_at = null, ended_at = coalesce(ended_at, now())
where id = ${id}::uuid returning ${columns}`
    )

  return {
    /** False, and nothing is inserted, if the user has `limit` schedules that have not ended. */
    insert: (row: PlannedSchedule, limit: number) =>
      withinLimit(
        row,
        sql`insert into schedules
  (id, user_id, kind, message, title, at, cron, every, timezone, channel_id, thread, agent, expects, max_cost, next_run_at, created_at)
select ${row.id}::uuid, ${row.user_id}, ${row.kind}, ${storable(row.message)}, ${storableOrNull(row.title)},
  ${row.at}::timestamptz, ${row.cron}, ${
          storableOrNull(row.every)
        }, ${row.timezone}, ${row.channel_id}, ${row.thread}, ${row.agent},
  ${row.expects}, ${row.max_cost}::float8, ${row.next_run_at}::timestamptz, ${row.created_at}::timestamptz
where (select count(*) from schedules where user_id = ${row.user_id} and status <> 'done') < ${limit}
returning 1`
      ),
    find: (id: ScheduleId) => scheduleRow(sql`select ${columns} from schedules where id = ${id}::uuid`),
    list: ({ cursor, limit, status = null, user_id = null }: ScheduleFilter) =>
      scheduleRows(
        sql`select ${columns} from schedules
where (${user_id}::text is null or user_id = ${user_id}::text) and (${status}::text is null or status = ${status}::text)
  and id < ${idBefore(cursor)}::uuid order by schedules.id desc limit ${limit}`
      ),
    pause: (id: ScheduleId) =>
      scheduleRow(
        sql`update schedules set status = 'paused', next_run_at = null
where id = ${id}::uuid and status <> 'done' returning ${columns}`
      ),
    /** Replaces what a request can name. False, and nothing changes, if a schedule that had ended would be one too many. */
    change: (row: PlannedSchedule, limit: number) =>
      withinLimit(
        row,
        sql`update schedules set kind = ${row.kind}, message = ${storable(row.message)},
  title = ${storableOrNull(row.title)}, timezone = ${row.timezone},
  channel_id = ${row.channel_id}, thread = ${row.thread}, agent = ${row.agent}, expects = ${row.expects},
  max_cost = ${row.max_cost}::float8,
  at = ${row.at}::timestamptz, cron = ${row.cron}, every = ${storableOrNull(row.every)}, failures = 0, retry_at = null,
  next_run_at = case when ${row.status} = 'active' then ${row.next_run_at}::timestamptz end,
  status = ${row.status}, ended_at = case when ${row.status} = 'done' then ended_at end
where id = ${row.id}::uuid and (status <> 'done' or ${row.status} = 'done'
  or (select count(*) from schedules where user_id = ${row.user_id} and status <> 'done') < ${limit})
returning 1`
      ),
    /** None: it has ended. */
    makeTask: (id: ScheduleId) =>
      scheduleRow(
        sql`update schedules set kind = 'task' where id = ${id}::uuid and status <> 'done' returning ${columns}`
      ),
    resume: (id: ScheduleId, next: DateTime.Utc) =>
      scheduleRow(
        sql`update schedules set status = 'active', next_run_at = ${DateTime.formatIso(next)}::timestamptz,
  failures = 0, retry_at = null
where id = ${id}::uuid and status = 'paused' returning ${columns}`
      ).pipe(Effect.zipLeft(Effect.orDie(planned))),
    end,
    delete: (id: ScheduleId) =>
      Effect.map(changed(sql`delete from schedules where id = ${id}::uuid returning 1`), (rows) => rows > 0),
    deleteEnded: (before: DateTime.Utc) =>
      changed(sql`delete from schedules where ended_at < ${DateTime.formatIso(before)}::timestamptz returning 1`),
    /** Due schedules, the longest due first. */
    due: (now: DateTime.Utc) =>
      dueRows(
        sql`select id::text from schedules where due_at <= ${DateTime.formatIso(now)}::timestamptz
order by schedules.due_at, schedules.id`
      ),
    /** The earliest run, or attempt of one, after a time. */
    nextAfter: (now: DateTime.Utc) =>
      Effect.map(
        theRow(nextRows(
          sql`select min(due_at) as next from schedules where due_at > ${DateTime.formatIso(now)}::timestamptz`
        )),
        ({ next }) => Option.fromNullable(next)
      ),
    /** The row, locked until the end of the transaction; none while another process has it, or it is not due. */
    lockDue: (id: ScheduleId, now: DateTime.Utc) =>
      scheduleRow(
        sql`select ${columns} from schedules
where id = ${id}::uuid and schedules.due_at <= ${DateTime.formatIso(now)}::timestamptz for update skip locked`
      ),
    /** Plans the next run; none: there is no further one, and the schedule ends. */
    move: (id: ScheduleId, next: Option.Option<DateTime.Utc>) =>
      Option.match(next, {
        onNone: () => Effect.asVoid(end(id)),
        onSome: (time) =>
          Effect.asVoid(changed(
            sql`update schedules set next_run_at = ${
              DateTime.formatIso(time)
            }::timestamptz, failures = 0, retry_at = null
where id = ${id}::uuid`
          ))
      }),
    /** Counts a failed attempt, and plans the next. */
    retry: (id: ScheduleId, at: DateTime.Utc) =>
      changed(
        sql`update schedules set failures = failures + 1, retry_at = ${DateTime.formatIso(at)}::timestamptz
where id = ${id}::uuid`
      ),
    ran: (id: ScheduleId, at: DateTime.Utc, taskId: TaskId | null) =>
      changed(
        sql`update schedules set last_run_at = ${DateTime.formatIso(at)}::timestamptz,
  last_task_id = coalesce(${taskId}::uuid, last_task_id) where id = ${id}::uuid`
      )
  }
}

const scheduleRows = rowsOf(ScheduleRow)
const scheduleRow = rowOf(ScheduleRow)
const dueRows = rowsOf(ScheduleRow.pick("id"))
const nextRows = rowsOf(Schema.Struct({ next: Schema.NullOr(Schema.DateTimeUtcFromDate) }))

/** Rows of schedules. A database that can't be reached is a defect here, because no caller can act on it. */
export class ScheduleRepo extends Context.Tag("troupe/Intake/Schedule/ScheduleRepo")<
  ScheduleRepo,
  ReturnType<typeof makeRepo>
>() {
  static readonly layer: Layer.Layer<ScheduleRepo, never, Signals | SqlClient> = Layer.effect(
    this,
    Effect.zipWith(SqlClient, Signals, makeRepo)
  )
}
