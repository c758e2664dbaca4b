import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"

const batch = 1_000

/** Deletes messages that were sent 30 days ago, and dead letters of 90 days, every hour on one worker. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | ScheduledJobs> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([SqlClient.SqlClient, ScheduledJobs]), ([sql, jobs]) =>
    jobs.start({
      name: "outbox_cleanup",
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      run: Effect.forEach(deletions(sql), Effect.repeat({ while: (deleted) => deleted.length === batch }), {
        discard: true
      })
    }))
)

const deletions = (sql: SqlClient.SqlClient) =>
  [
    sql`state = 'sent' and sent_at < now() - interval '30 days' order by sent_at`,
    sql`state = 'failed' and created_at < now() - interval '90 days' order by id`
  ].map((isOld) =>
    sql`
delete from outbox o using (select id from outbox where ${isOld} limit ${batch} for update skip locked) old
where o.id = old.id
returning 1`
  )
