import { Schedule } from "@troupe/domain/Schedule"
import { titleOf } from "@troupe/domain/Text"
import { unseenHealth } from "@troupe/domain/Unattended"
import { timeZoneOf } from "@troupe/domain/User"
import { DateTime, Option, Schema, Struct } from "effect"
import { HealthColumn, healthOf } from "../../Delivery/WorkHealth.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { nextRuns } from "./CronText.ts"

export const ScheduleRow = Schema.Struct({
  ...Struct.omit(Schedule.fields, "next_runs"),
  title: Schema.NullOr(Schema.String),
  /** Null before the first look. */
  health: HealthColumn,
  /** What follows `channel_id` in the key of the thread; null: no thread. */
  thread: Schema.NullOr(Schema.String),
  next_run_at: Schema.NullOr(Schema.String),
  /** `next_run_at`, or the next attempt of a run that failed. */
  due_at: Schema.NullOr(Schema.String),
  failures: Schema.Int
}).annotations({ identifier: "ScheduleRow" })
export type ScheduleRow = typeof ScheduleRow.Type

export const scheduleColumns = `id::text, user_id, kind, message, title, ${
  timestamp("at", "at")
}, cron, every, timezone,
  channel_id, thread, agent, expects, max_cost, ${healthOf("schedule", "schedules.id::text")} as health, status, ${
  timestamp("next_run_at", "next_run_at")
}, ${timestamp("due_at", "due_at")}, failures,
  ${timestamp("last_run_at", "last_run_at")},
  last_task_id::text, ${timestamp("created_at", "created_at")}`

/** UTC, where the time zone is no longer known. */
export const zoneOf = (name: string): DateTime.TimeZone =>
  Option.getOrElse(timeZoneOf(name), () => DateTime.zoneUnsafeMakeNamed("UTC"))

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

export const nextRunsOf = (
  { cron, next_run_at, timezone }: Pick<ScheduleRow, "cron" | "next_run_at" | "timezone">
): ReadonlyArray<string> => {
  if (next_run_at === null) return []
  const after = DateTime.unsafeMake(next_run_at)
  const following = cron === null ? [] : nextRuns(cron, { after, zone: zoneOf(timezone), count: maxRuns - 1 })
  return [next_run_at, ...following.map(DateTime.formatIso)]
}

export const scheduleOf = (row: ScheduleRow): Schedule => ({
  ...Struct.omit(row, "due_at", "failures", "next_run_at", "thread"),
  title: titleOf({ title: row.title, description: row.message }),
  health: row.health ?? { ...unseenHealth, since: row.created_at },
  next_runs: nextRunsOf(row)
})
