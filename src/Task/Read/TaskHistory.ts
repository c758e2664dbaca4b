import { HistoryInterval, type HistoryPeriod, type TaskHistory as HistoryReport } from "@troupe/api/SystemReports"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"

const periods: Readonly<Record<HistoryPeriod, { readonly seconds: number; readonly count: number }>> = {
  day: { seconds: 3_600, count: 24 },
  week: { seconds: 21_600, count: 28 },
  month: { seconds: 86_400, count: 30 }
}

/** More ended tasks are not read: the report is of the newest. */
const maxTasks = 100_000

const { at: _, ...sums } = HistoryInterval.fields
const Row = Schema.Struct({ number: Schema.Int, read: Schema.Int, ...sums })
const rows = rowsOf(Row)

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

/** What became of tasks, by the time at which they ended. Nothing is stored for it. */
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
          const found = yield* asService(rows(searches.execute(ended({ begin: timeOf(0), seconds, limit: maxTasks }))))
          const byNumber = new Map(found.map(({ number, read: _read, ...interval }) => [number, interval]))
          return {
            period,
            interval_seconds: seconds,
            is_complete: found.reduce((sum, { read }) => sum + read, 0) < maxTasks,
            intervals: Array.from({ length: count }, (_, number) => ({
              at: timeOf(number),
              ...(byNumber.get(number) ?? nothing)
            }))
          }
        })
      }))
  )
}

const whereTask = (condition: string) => `filter (where t.task_type = 'task' and ${condition})`

const quantile = (share: number, from: string, to: string) =>
  `percentile_cont(${share}) within group (order by extract(epoch from ${to} - ${from})::float8)
    ${whereTask(`${from} is not null`)}`

const ended = prepared(
  "task_history",
  ["begin", "seconds", "limit"],
  `select floor(extract(epoch from a.completed_at - $begin::timestamptz) / $seconds::integer)::integer as number,
  count(*)::integer as read,
  (count(*) ${whereTask("a.status = 'completed'")})::integer as completed,
  (count(*) ${whereTask("a.status = 'failed'")})::integer as failed,
  ${quantile(0.5, "t.created_at", "coalesce(a.started_at, a.completed_at)")} as queued_seconds,
  ${quantile(0.5, "a.started_at", "a.completed_at")} as duration_seconds,
  ${quantile(0.95, "a.started_at", "a.completed_at")} as slow_duration_seconds,
  sum(a.model_calls)::integer as model_calls,
  sum(a.input_tokens)::float8 as input_tokens, sum(a.output_tokens)::float8 as output_tokens,
  coalesce(sum(a.cost), 0)::float8 as cost,
  (count(*) filter (where a.model_calls > 0 and a.cost is null))::integer as unpriced_tasks
from (
  select * from actors where completed_at >= $begin::timestamptz order by completed_at desc limit $limit::integer
) a join tasks t on t.id = a.task_id
group by 1`
)
