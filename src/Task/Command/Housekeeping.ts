import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule, Stream } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { heldBack } from "../../Runtime/Database/Cleaning.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"
import { keyLifetime } from "../Claim/IdempotencyKeys.ts"

const batch = 1_000

export interface HousekeepingOptions {
  /** Read notifications are deleted so many days later; 0: never. Read at each run. */
  readonly notificationDays: number
  /** Each element makes it run at once. */
  readonly changes?: Stream.Stream<unknown>
}

/**
 * Deletes expired rows every hour, on one worker, logs what keeps the database from removing them, and corrects the order of
 * events after a dump was restored.
 */
export const layer = (options: HousekeepingOptions): Layer.Layer<never, never, SqlClient.SqlClient | ScheduledJobs> =>
  Layer.scopedDiscard(
    Effect.flatMap(Effect.all([SqlClient.SqlClient, ScheduledJobs]), ([sql, jobs]) =>
      jobs.start({
        name: "housekeeping",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        wakeUps: options.changes ?? Stream.empty,
        run: Effect.zipRight(
          Effect.flatMap(
            heldBack(sql),
            Effect.forEach(({ fix, problem }) => Effect.logWarning(`${problem} ${fix}`), { discard: true })
          ),
          Effect.suspend(() =>
            Effect.forEach(
              [...deletions(sql, options), ...restorations(sql)],
              (slice) => inSlices(slice, ({ length }) => length === batch),
              { discard: true }
            )
          )
        )
      }))
  )

const deletions = (sql: SqlClient.SqlClient, { notificationDays }: HousekeepingOptions) =>
  ([
    // A key that is being used again is locked, and stays.
    ["idempotency_keys", ["caller", "key"], `created_at < now() - ${keyLifetime}`],
    ["remembered_tasks", ["task_id"], "at < now() - interval '2 days'"],
    ["bulk_operations", ["id"], "finished_at < now() - interval '30 days'"],
    ["rate_limits", ["caller"], "full_at < now()"],
    ["chat_claims", ["key"], "expires_at < now()"],
    ["file_reservations", ["id"], "expires_at < now()"],
    ["sessions", ["token_hash"], "expires_at < now()"],
    ...(notificationDays === 0 ? [] : [
      ["notifications", ["user_id", "id"], `read_at < now() - interval '1 day' * ${notificationDays}`] as const
    ])
  ] as const).map(([table, key, expired]) =>
    sql.unsafe(`delete from ${table} t using (
  select ${key.join(", ")} from ${table} where ${expired} limit ${batch} for update skip locked
) old
where ${key.map((column) => `t.${column} = old.${column}`).join(" and ")}
returning 1`)
  )

/** After a restored dump, rows may have numbers of future transactions, and would count as new events then. */
const restorations = (sql: SqlClient.SqlClient) =>
  ([["steps", "task_id, seq"], ["tasks", "id"], ["remembered_tasks", "task_id"]] as const).map(([table, key]) =>
    sql.unsafe(`update ${table} set xact_id = null where (${key}) in (
  select ${key} from ${table} where xact_id > pg_snapshot_xmax(pg_current_snapshot())
  order by xact_id, ${key} limit ${batch}
)
returning 1`)
  )
