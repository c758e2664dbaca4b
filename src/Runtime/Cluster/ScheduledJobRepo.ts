import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { WorkerHealthReport } from "@troupe/api/Worker"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Clock, Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { v4 } from "uuid"
import { prepared } from "../Database/PreparedStatements.ts"
import { rowsOf } from "../Database/Query.ts"
import { SearchStatements } from "../Database/SearchStatements.ts"
import { storableOrNull } from "../Database/StorableText.ts"
import { timestamp } from "../Database/TimestampColumn.ts"

const JobReport = WorkerHealthReport.fields.scheduled_jobs.value
export type JobReport = typeof JobReport.Type

/** The state of a job, with times in milliseconds from now: the clocks of processes differ. */
export interface JobState {
  readonly name: string
  readonly scope: JobReport["scope"]
  readonly ranBefore: number | null
  readonly nextIn: number
  readonly error: string | null
}

export class ScheduledJobRepo extends Context.Tag("troupe/Runtime/Cluster/ScheduledJobRepo")<ScheduledJobRepo, {
  readonly save: (states: ReadonlyArray<JobState>) => Effect.Effect<void, SqlError>
  readonly list: Effect.Effect<ReadonlyArray<JobReport>, SearchUnfinished>
}>() {
  /** Deletes the jobs of this process at its end, and at its start those of an earlier process at its address. */
  static readonly layer: Layer.Layer<
    ScheduledJobRepo,
    never,
    SearchStatements | ShardingConfig.ShardingConfig | SqlClient
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const searches = yield* SearchStatements
      const { runnerAddress, shardLockExpiration } = yield* ShardingConfig.ShardingConfig
      const process = Option.match(runnerAddress, {
        onNone: () => v4(),
        onSome: ({ host, port }) => `${host}:${port}`
      })
      const quietly = (work: Effect.Effect<unknown, SqlError>) =>
        work.pipe(
          Effect.disconnect,
          Effect.timeout("2 seconds"),
          Effect.catchAll((error) => Effect.logWarning("Deleting the state of scheduled jobs failed", error))
        )
      yield* Effect.acquireRelease(
        // A process that is no runner has a new id at each start: its rows are deleted after a day.
        quietly(
          sql`delete from scheduled_jobs where process = ${process} or next_run_at < now() - interval '1 day'`
        ),
        () =>
          Effect.interruptible(
            quietly(sql`delete from scheduled_jobs where process = ${process} and scope = 'process'`)
          )
      )
      return ScheduledJobRepo.of({
        save: (states) =>
          Effect.asVoid(sql`insert into scheduled_jobs (name, scope, process, last_run_at, next_run_at, last_error)
select s.name, s.scope, ${process}, now() - s."ranBefore" * interval '1 millisecond',
  now() + s."nextIn" * interval '1 millisecond', s.error
from json_to_recordset(${JSON.stringify(states.map((one) => ({ ...one, error: storableOrNull(one.error) })))}::json)
  as s(name text, scope text, "ranBefore" float8, "nextIn" float8, error text)
order by s.name
on conflict (name, holder) do update set process = excluded.process, last_run_at = excluded.last_run_at,
  next_run_at = excluded.next_run_at, last_error = excluded.last_error`),
        list: rowsOf(JobReport)(searches.execute(list({ lockExpiration: Duration.toSeconds(shardLockExpiration) })))
      })
    })
  )

  static readonly layerMemory: Layer.Layer<ScheduledJobRepo> = Layer.sync(this, () => {
    const jobs = new Map<string, JobReport>()
    return ScheduledJobRepo.of({
      save: (states) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const { error, name, nextIn, ranBefore, scope } of states) {
            const [last_run_at, next_run_at] = [ranBefore === null ? null : iso(now - ranBefore), iso(now + nextIn)]
            jobs.set(name, { name, scope, last_run_at, next_run_at, last_error: error })
          }
        }),
      list: Effect.sync(() => [...jobs.values()].toSorted((one, other) => one.name < other.name ? -1 : 1))
    })
  })
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

/** A long run delays its row; the row of a process that is no live runner is at most a minute overdue. */
const list = prepared(
  "scheduled_jobs_list",
  ["lockExpiration"],
  `select j.name, j.scope, ${timestamp("j.last_run_at", "last_run_at")}, ${
    timestamp("j.next_run_at", "next_run_at")
  }, j.last_error
from scheduled_jobs j left join cluster_runners r on r.address = j.process
where case when r.address is null or j.scope = 'cluster' and r.last_heartbeat <= localtimestamp - make_interval(secs => $lockExpiration)
    then j.next_run_at > now() - interval '1 minute'
    else r.last_heartbeat > localtimestamp - make_interval(secs => $lockExpiration) end
order by j.name, j.holder`
)
