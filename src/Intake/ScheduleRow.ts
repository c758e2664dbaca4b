import { nextRuns } from "@troupe/domain/CronText"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { type Schedule, ScheduleId, ScheduleKind, ScheduleStatus } from "@troupe/domain/Schedule"
import { titleOf } from "@troupe/domain/Text"
import { timeZoneOf } from "@troupe/domain/User"
import { DateTime, Option, Schema } from "effect"
import { timestamp } from "../Runtime/TimestampColumn.ts"

const text = Schema.NullOr(Schema.String)

export const ScheduleRow = Schema.Struct({
  id: ScheduleId,
  user_id: UserId,
  kind: ScheduleKind,
  message: Schema.String,
  title: text,
  at: text,
  cron: text,
  timezone: Schema.String,
  channel_id: text,
  thread_ts: text,
  status: ScheduleStatus,
  next_run_at: text,
  /** `next_run_at`, or the next attempt of a run that failed. */
  due_at: text,
  failures: Schema.Int,
  last_run_at: text,
  last_task_id: Schema.NullOr(TaskId),
  created_at: Schema.String
})
export type ScheduleRow = typeof ScheduleRow.Type

export const scheduleColumns = `id::text, user_id, kind, message, title, ${timestamp("at", "at")}, cron, timezone,
  channel_id, thread_ts, status, ${timestamp("next_run_at", "next_run_at")}, ${timestamp("due_at", "due_at")}, failures,
  ${timestamp("last_run_at", "last_run_at")},
  last_task_id::text, ${timestamp("created_at", "created_at")}`

/** UTC, where the time zone is no longer known. */
export const zoneOf = (name: string): DateTime.TimeZone =>
  Option.getOrElse(timeZoneOf(name), () => DateTime.zoneMakeOffset(0))

/** The first run after a time; none of a schedule that runs once and whose time is over. */
export const nextRunOf = (
  { at, cron, timezone }: Pick<ScheduleRow, "at" | "cron" | "timezone">,
  after: DateTime.Utc
): Option.Option<DateTime.Utc> =>
  cron === null
    ? Option.filter(Option.flatMap(Option.fromNullable(at), DateTime.make), DateTime.greaterThan(after)).pipe(
      Option.map(DateTime.toUtc)
    )
    : Option.fromNullable(nextRuns(cron, { after, zone: zoneOf(timezone), count: 1 })[0])

const maxRuns = 5

const nextRunsOf = ({ cron, next_run_at, timezone }: ScheduleRow): ReadonlyArray<string> => {
  if (next_run_at === null) return []
  const following = cron === null ? [] : nextRuns(cron, {
    after: DateTime.unsafeMake(next_run_at),
    zone: zoneOf(timezone),
    count: maxRuns - 1
  })
  return [next_run_at, ...following.map(DateTime.formatIso)]
}

export const scheduleOf = (row: ScheduleRow): Schedule => ({
  id: row.id,
  kind: row.kind,
  message: row.message,
  title: titleOf({ title: row.title, description: row.message }),
  at: row.at,
  cron: row.cron,
  timezone: row.timezone,
  status: row.status,
  next_runs: nextRunsOf(row),
  last_run_at: row.last_run_at,
  last_task_id: row.last_task_id,
  user_id: row.user_id,
  channel_id: row.channel_id,
  created_at: row.created_at
})
