import { SqlClient } from "@effect/sql/SqlClient"
import { HistoryInterval, type HistoryPeriod, type TaskHistory as HistoryReport } from "@troupe/api/SystemReports"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, DateTime, Effect, Layer, Schedule, Schema } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { endColumns } from "../Row/UsageSums.ts"
import { sumUserHours } from "./UserHours.ts"

const periods: Readonly<Record<HistoryPeriod, { readonly seconds: number; readonly count: number }>> = {
  day: { seconds: 3_600, count: 24 },
  week: { seconds: 21_600, count: 28 },
  month: { seconds: 86_400, count: 30 }
}

const { at: _at, queued_seconds: _queued, duration_seconds: _duration, slow_duration_seconds: _slow, ...sums } =
  HistoryInterval.fields
const Quantiles = Schema.NullOr(Schema.Array(Schema.Number))
const HourRow = Schema.Struct({
  millis: Schema.Number,
  isRead: Schema.Boolean,
  started: Schema.Int,
  queued: Quantiles,
  duration: Quantiles,
  ...sums
})
type HourRow = typeof HourRow.Type
const rows = rowsOf(HourRow)

const nothing: Omit<typeof HistoryInterval.Type, "at"> = {
  completed: 0,
  failed: 0,
  queued_seconds: null,
  duration_seconds: null,
  slow_duration_seconds: null,
  model_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost: 0,
  unpriced_tasks: 0
}

/** What became of tasks, by the time at which they ended: sums of the hours that are over, and what ended since. */
export class TaskHistory extends Context.Tag("troupe/Task/Read/TaskHistory")<TaskHistory, {
  readonly report: (period: HistoryPeriod) => Effect.Effect<HistoryReport, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<TaskHistory, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(SearchStatements, (searches) =>
      TaskHistory.of({
        report: Effect.fn("TaskHistory.report")(function*(period: HistoryPeriod) {
          const { count, seconds } = periods[period]
          const { epochMillis } = yield* DateTime.now
          const length = seconds * 1_000
          // Whole intervals of UTC, so that they stay the same from one report to the next.
          const begin = (Math.floor(epochMillis / length) + 1 - count) * length
          const timeOf = (number: number) => DateTime.formatIso(DateTime.unsafeMake(begin + number * length))
          const hours = yield* asService(rows(searches.execute(hoursSince({ begin: timeOf(0) }))))
          return {
            period,
            interval_seconds: seconds,
            spending: [],
            is_complete: hours.reduce((read, hour) =>
              hour.isRead ? read + hour.completed + hour.failed : read, 0) < maxTasks,
            intervals: Array.from({ length: count }, (_, number) => ({
              at: timeOf(number),
              ...intervalOf(hours.filter(({ millis }) => Math.floor((millis - begin) / length) === number))
            }))
          }
        })
      }))
  )
}

const sumOf = (hours: ReadonlyArray<HourRow>, value: (hour: HourRow) => number): number =>
  hours.reduce((sum, hour) => sum + value(hour), 0)

const intervalOf = (hours: ReadonlyArray<HourRow>): Omit<typeof HistoryInterval.Type, "at"> => {
  if (hours.length === 0) return nothing
  const durations = hours.map(({ duration, started }) => ({ quantiles: duration ?? [], count: started }))
  return {
    completed: sumOf(hours, ({ completed }) => completed),
    failed: sumOf(hours, ({ failed }) => failed),
    queued_seconds: quantileOf(
      hours.map(({ completed, failed, queued }) => ({ quantiles: queued ?? [], count: completed + failed })),
      0.5
    ),
    duration_seconds: quantileOf(durations, 0.5),
    slow_duration_seconds: quantileOf(durations, 0.95),
    model_calls: sumOf(hours, ({ model_calls }) => model_calls),
    input_tokens: sumOf(hours, ({ input_tokens }) => input_tokens),
    output_tokens: sumOf(hours, ({ output_tokens }) => output_tokens),
    cost: sumOf(hours, ({ cost }) => cost),
    unpriced_tasks: sumOf(hours, ({ unpriced_tasks }) => unpriced_tasks)
  }
}

interface Distribution {
  /** The quantiles from 0 to 1, `step` apart; empty if there are no values. */
  readonly quantiles: ReadonlyArray<number>
  readonly count: number
}

const step = 0.025

/** For one distribution, its own quantile. For several, the nearest of their values, each weighted by the count of its distribution. */
export const quantileOf = (all: ReadonlyArray<Distribution>, share: number): number | null => {
  const filled = all.filter(({ quantiles }) => quantiles.length > 0)
  const [only, ...more] = filled
  if (only === undefined) return null
  if (more.length === 0) return only.quantiles[Math.round(share / step)] ?? null
  const values = filled.flatMap(({ count, quantiles }) =>
    quantiles.map((value) => ({ value, weight: count / quantiles.length }))
  ).toSorted((one, other) => one.value - other.value)
  let left = share * filled.reduce((sum, { count }) => sum + count, 0)
  return values.find(({ weight }) => (left -= weight) <= 0)?.value ?? values.at(-1)?.value ?? null
}

/** Maximum number of tasks that a report reads for hours without sums. It leaves out the oldest ones beyond it. */
const maxTasks = 100_000

const whereTask = (condition: string) => `filter (where e.task_type = 'task' and ${condition})`

const quantiles = (from: string, to: string) =>
  `percentile_cont(array(select n * ${step} from generate_series(0, ${1 / step}) n)) within group (
    order by extract(epoch from ${to} - ${from})::float8) ${whereTask(`${from} is not null`)}`

const inHour = "completed_at >= h.hour and completed_at < h.hour + interval '1 hour'"

/** The sums, in the columns of `task_hours`, of those of these hours in which a task ended. */
const sumsOf = (hours: string, limit: number | "all"): string =>
  `select e.hour,
  (count(*) ${whereTask("e.status = 'completed'")})::integer as completed,
  (count(*) ${whereTask("e.status = 'failed'")})::integer as failed,
  (count(*) ${whereTask("e.started_at is not null")})::integer as started,
  ${quantiles("e.created_at", "coalesce(e.started_at, e.completed_at)")} as queued_seconds,
  ${quantiles("e.started_at", "e.completed_at")} as duration_seconds,
  coalesce(sum(e.model_calls), 0)::float8 as model_calls,
  coalesce(sum(e.input_tokens), 0)::float8 as input_tokens, coalesce(sum(e.output_tokens), 0)::float8 as output_tokens,
  coalesce(sum(e.cost), 0)::float8 as cost,
  (count(*) filter (where e.model_calls > 0 and e.cost is null))::integer as unpriced_tasks
from (
  select h.hour, d.* from (${hours}) h cross join lateral (
    select ${endColumns}, t.created_at, t.task_type from actors a join tasks t on t.id = a.task_id where ${inHour}
    union all
    select ${endColumns}, created_at, task_type from deleted_ends where ${inHour}
  ) d
  order by h.hour desc limit ${limit}
) e group by e.hour`

const missingSince = (begin: string, end: string): string =>
  `select g.hour from generate_series(${begin}, ${end}, interval '1 hour') g (hour)
    where not exists (select from task_hours s where s.hour = g.hour) order by g.hour desc`

const columns =
  `extract(epoch from hour)::float8 * 1000 as millis, completed, failed, started, queued_seconds as queued,
  duration_seconds as duration, model_calls, input_tokens, output_tokens, cost, unpriced_tasks`

const hoursSince = prepared(
  "task_history",
  ["begin"],
  `select ${columns}, false as "isRead" from task_hours where hour >= $begin::timestamptz
union all
select ${columns}, true from (${sumsOf(missingSince("$begin::timestamptz", "now()"), maxTasks)}) s`
)

/** How far back hours get their sums. */
const kept = "interval '31 days'"

/** Of those in which tasks ended; the others cost nothing, and on a new database they are all of them. */
const hoursAtOnce = 6

/**
 * Sums up the newest hours that have been over for a minute and have no sums yet: a step may be committed a minute after its time.
 */
const sumNewest = prepared(
  "task_history_sum",
  [],
  `with missing as materialized (
  select hour from (
    select hour, count(*) filter (
      where exists (select from actors where completed_at >= hour and completed_at < hour + interval '1 hour')
    ) over (order by hour desc) as ended
    from (${
    missingSince(
      `date_trunc('hour', now() - ${kept}, 'UTC')`,
      "date_trunc('hour', now() - interval '61 minutes', 'UTC')"
    )
  }) m
  ) counted where ended <= ${hoursAtOnce}
)
insert into task_hours (hour, completed, failed, started, queued_seconds, duration_seconds, model_calls, input_tokens,
  output_tokens, cost, unpriced_tasks)
select m.hour, coalesce(completed, 0), coalesce(failed, 0), coalesce(started, 0), queued_seconds, duration_seconds,
  coalesce(model_calls, 0), coalesce(input_tokens, 0), coalesce(output_tokens, 0), coalesce(cost, 0),
  coalesce(unpriced_tasks, 0)
from missing m left join (${sumsOf("select hour from missing", "all")}) s on s.hour = m.hour
on conflict do nothing returning hour`
)

/** Sums up the hours that are over, on one worker. */
export const layerSums: Layer.Layer<never, never, PreparedStatements | ScheduledJobs | SqlClient> = Layer
  .scopedDiscard(
    Effect.flatMap(
      Effect.all([PreparedStatements, ScheduledJobs, SqlClient]),
      ([{ execute }, jobs, sql]) =>
        jobs.start({
          name: "task_history",
          scope: "cluster",
          schedule: Schedule.spaced("10 minutes"),
          run: Effect.zipRight(sumHours(execute), sumUserHours(sql))
        })
    )
  )

/** A deletion that was under way when its hour was summed up has kept an end that was counted. */
const deleteSummed = prepared(
  "task_history_delete_summed",
  [],
  `delete from deleted_ends e where completed_at < now() - ${kept}
  or (select true from task_hours s where s.hour = date_trunc('hour', e.completed_at, 'UTC'))`
)

export const sumHours = (execute: PreparedStatements["Type"]["execute"]) =>
  Effect.repeat(execute(sumNewest({})), { while: ({ length }) => length > 0 }).pipe(
    Effect.zipRight(execute(deleteSummed({}))),
    Effect.asVoid
  )
