import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { Snapshots } from "./Snapshots.ts"

/** Deletes the copies of files whose messages were sent or deleted, every hour on one worker. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | ScheduledJobs | Snapshots> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([SqlClient.SqlClient, ScheduledJobs, Snapshots]), ([sql, jobs, snapshots]) =>
    jobs.start({
      name: "snapshot_cleanup",
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      run: snapshots.sweep(
        Effect.map(
          sql<{ digest: string }>`select distinct unnest(files) as digest from outbox
where files is not null and state <> 'sent'`,
          (rows) => new Set(rows.map(({ digest }) => digest))
        )
      )
    }))
)
