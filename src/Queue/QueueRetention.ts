import { Effect, Layer, Schedule, Schema } from "effect"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import type { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { makeQueue } from "./Queue.ts"
import type { QueueTable } from "./QueueTable.ts"

/** Deletes rows so many days after they were done, or have failed, every hour in one process of the cluster. */
export const layer = (
  table: QueueTable,
  { days, job }: { readonly job: string; readonly days: { readonly done: number; readonly failed: number } }
): Layer.Layer<never, never, PreparedStatements | ScheduledJobs> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const { purge } = yield* makeQueue(table, Schema.Struct({}))
    yield* jobs.start({
      name: job,
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      run: purge(days)
    })
  }))
