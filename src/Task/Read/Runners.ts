import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import { WorkerHealthReport, WorkerStatus } from "@troupe/api/Worker"
import { TaskId } from "@troupe/domain/Ids"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { TaskNotFound } from "@troupe/domain/Task"
import { maxCount } from "@troupe/domain/TaskCounts"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Context, Duration, Effect, Layer, Schema, Struct } from "effect"
import { makeExpiringCache } from "../../Runtime/Cache.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { instant, timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { maxPerUser } from "../Claim/Slots.ts"
import { modelRetry, type Places } from "../Row/WaitingFor.ts"

const runnerRows = rowsOf(
  Schema.Struct({ ...WorkerHealthReport.fields.runners.value.fields, isLive: Schema.Boolean })
)
const pendingRows = rowsOf(Schema.Struct({
  count: Schema.Int,
  task_id: TaskId,
  since: Timestamp,
  waited: Schema.Number
}))
const paces = rowsOf(Schema.Struct({ pace: Schema.Number, indexed: Schema.Number }))
const statuses = rowsOf(WorkerStatus)
const placeRows = rowsOf(Schema.Struct({ address: Schema.String, taken: Schema.Int }))

interface RunnersReport {
  readonly runners: Effect.Effect.Success<ReturnType<typeof runnerRows>>
  readonly pending_jobs: number
  readonly oldest_pending: WorkerHealthReport["oldest_pending"]
  readonly longestWaitSeconds: number
  readonly backlog_seconds: number | null
}

export class Runners extends Context.Tag("troupe/Task/Read/Runners")<Runners, {
  readonly statusOf: (taskId: TaskId) => Effect.Effect<typeof WorkerStatus.Type, TaskNotFound>
  readonly report: Effect.Effect<RunnersReport, SearchUnfinished>
  /** Read at most once a second, however many ask; null where the database is too busy to count them. */
  readonly places: Effect.Effect<Places | null>
}>() {
  /** `maxActive`: how many tasks one worker runs. */
  static readonly layer = (
    maxActive: number
  ): Layer.Layer<Runners, never, PreparedStatements | SearchStatements | ShardingConfig> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const database = yield* PreparedStatements
        const searches = yield* SearchStatements
        const { shardLockExpiration } = yield* ShardingConfig
        const lockExpiration = Duration.toSeconds(shardLockExpiration)
        const counts = makeExpiringCache({
          capacity: 1,
          timeToLive: "1 second",
          lookup: () => asService(placeRows(searches.execute(places({}))))
        })
        return Runners.of({
          statusOf: (id) =>
            Effect.flatMap(
              statuses(database.execute(statusOf({ task: id, lockExpiration }))),
              ([status]) => status === undefined ? new TaskNotFound({ id }) : Effect.succeed(status)
            ),
          report: Effect.map(
            Effect.all([
              runnerRows(searches.execute(runners({ lockExpiration }))),
              pendingRows(searches.execute(pending({ lockExpiration }))),
              paces(searches.execute(pace({})))
            ]),
            ([runners, [due], [ended]]) => ({
              runners,
              pending_jobs: due?.count ?? 0,
              oldest_pending: due === undefined ? null : { task_id: due.task_id, since: due.since },
              longestWaitSeconds: due?.waited ?? 0,
              backlog_seconds: secondsFor(due?.count ?? 0, ended)
            })
          ),
          places: Effect.match(counts.get("all"), {
            onSuccess: (rows) => ({
              taken: new Map(rows.map(({ address, taken }) => [address, taken])),
              max: maxActive,
              maxPerUser: maxPerUser(maxActive)
            }),
            onFailure: () => null
          })
        })
      })
    )
}

const statusOf = prepared(
  "runners_status_of",
  ["task", "lockExpiration"],
  `select a.task_id::text, a.status, a.task_id || '.' || a.job_seq as queue_job_id, a.iteration_count,
  case when a.seq > 0 then ${instant("a.updated_at")} end as last_step_at,
  case when a.status <> 'pending' and a.wake_at <= now() then ${modelRetry}
    else ${instant("a.wake_at")} end as next_wakeup_at,
  r.address is not null as active,
  case when r.address is not null then json_build_object('address', r.address) end as runner
from actors a left join cluster_runners r on r.address = a.runner and a.status = 'running' and a.wake_at <= now()
  and r.last_heartbeat > localtimestamp - make_interval(secs => $lockExpiration)
where a.task_id = $task::uuid`
)

/** A claimed task is running and due: a count of these is at most that of the places of all workers. */
const isActive = "a.runner is not null and a.status = 'running' and a.wake_at <= now()"

const counted = (from: string): string =>
  `(select count(*)::integer from (select from ${from} limit ${maxCount}) counted)`

/**
 * A heartbeat older than the lock expiration is late; after three times that, and at least a minute, the runner is
 * omitted.
 */
const runners = prepared(
  "runners_report",
  ["lockExpiration"],
  `select r.address,
  (select count(*)::integer from cluster_locks l where l.address = r.address) as shards,
  coalesce(active.taken, 0) as active_tasks,
  ${counted("actors a where a.queued_by = r.address and a.wake_at is not null")} as queued_tasks,
  ${timestamp("r.last_heartbeat::timestamptz", "last_seen_at")},
  r.last_heartbeat > localtimestamp - make_interval(secs => $lockExpiration) as "isLive"
from cluster_runners r left join (
  select a.runner, count(*)::integer as taken from actors a where ${isActive} group by a.runner
) active on active.runner = r.address
where r.last_heartbeat > localtimestamp - make_interval(secs => greatest(3 * $lockExpiration::float8, 60))
order by r.address`
)

const places = prepared(
  "runners_places",
  [],
  `select a.runner as address, count(*)::integer as taken from actors a where ${isActive} group by a.runner`
)

const dueSince = "greatest(a.wake_at, a.updated_at)"

/** The indexes of due tasks have the running ones too. */
const maxScanned = 2 * maxCount

/**
 * The oldest, and how many there are, up to a maximum. A task that was handed over, or whose runner ended, has waited since
 * its last step. Of a long backlog, the beginning of each index of due tasks is read, and the task that was created first.
 */
const pending = prepared(
  "runners_pending",
  ["lockExpiration"],
  `select least(count(*) over (), ${maxCount})::integer as count, a.task_id::text, ${timestamp(dueSince, "since")},
  extract(epoch from now() - ${dueSince})::float8 as waited
from actors a where a.task_id = any(array(
  (select task_id from actors where queued_by is null and wake_at <= now() order by wake_at limit ${maxScanned})
  union
  (select task_id from actors where queued_by is not null and wake_at <= now() order by queued_by limit ${maxCount})
  union
  (select task_id from actors where status = 'pending' order by task_id limit 1)
)) and a.wake_at <= now() and (a.runner is null or a.runner <> all(array(
  select address::text from cluster_runners where last_heartbeat > localtimestamp - make_interval(secs => $lockExpiration))))
order by ${dueSince}, a.task_id limit 1`
)

/** Tasks a second, of the last thousand that ended, and how many the indexes of due tasks had when they were last cleaned. */
const pace = prepared(
  "runners_pace",
  [],
  `select coalesce(count(*) / greatest(1, extract(epoch from now() - min(e.completed_at))), 0)::float8 as pace,
  (select sum(reltuples)::float8 from pg_class where oid in ('actors_due'::regclass, 'actors_queued'::regclass)) as indexed
from (select completed_at from actors where completed_at > now() - interval '10 minutes'
  order by completed_at desc limit ${maxCount}) e`
)

const secondsFor = (
  count: number,
  { indexed, pace } = { indexed: 0, pace: 0 }
): number | null => {
  if (count === 0) return 0
  const waiting = count < maxCount ? count : Math.max(count, indexed)
  return pace === 0 ? null : Math.ceil(waiting / pace)
}

export class WorkerHealth extends Context.Tag("troupe/Task/Read/Runners/WorkerHealth")<WorkerHealth, {
  readonly report: Effect.Effect<WorkerHealthReport, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<WorkerHealth, never, Runners | ScheduledJobs> = Layer.effect(
    this,
    Effect.zipWith(Runners, ScheduledJobs, (runners, jobs) =>
      WorkerHealth.of({
        report: asService(Effect.zipWith(
          runners.report,
          jobs.report,
          (
            { backlog_seconds, longestWaitSeconds, oldest_pending, pending_jobs, runners },
            scheduled_jobs
          ): WorkerHealthReport => ({
            status: runners.every(({ isLive }) => !isLive)
              ? "down"
              : longestWaitSeconds > maxWaitSeconds || runners.some(({ isLive }) => !isLive)
                  || scheduled_jobs.some(({ last_error }) => last_error !== null)
              ? "degraded"
              : "healthy",
            runners: runners.map(Struct.omit("isLive")),
            pending_jobs,
            oldest_pending,
            backlog_seconds,
            scheduled_jobs
          })
        ))
      }))
  )
}

const maxWaitSeconds = 30
