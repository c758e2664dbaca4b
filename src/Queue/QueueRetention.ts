import { Effect, Layer, Schedule, Schema, Stream } from "effect"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import type { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { makeQueue } from "./Queue.ts"
import type { QueueTable } from "./QueueTable.ts"

/** Deletes rows so many days after they were done, or have failed, every hour in one process of the cluster. */
export const layer = (
  table: QueueTable,
  options: {
    readonly job: string
    /** Read at each run. */
    readonly days: { readonly done: number; readonly failed: number }
    /** Each element makes it run at once. */
    readonly changes?: Stream.Stream<unknown>
  }
): Layer.Layer<never, never, PreparedStatements | ScheduledJobs> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const { purge } = yield* makeQueue(table, Schema.Struct({}))
    yield* jobs.start({
      name: options.job,
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      wakeUps: options.changes ?? Stream.empty,
      run: Effect.suspend(() => purge(options.days))
    })
  }))
