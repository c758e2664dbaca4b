import type { WorkerHealthReport } from "@troupe/api/Worker"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer } from "effect"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { Runners } from "./Runners.ts"

/** Whether background workers run, and how much waits for them. */
export class WorkerHealth extends Context.Tag("troupe/Task/WorkerHealth")<WorkerHealth, {
  readonly report: Effect.Effect<WorkerHealthReport, SearchUnfinished>
}>() {
  /** The jobs are those of the process that is asked: a process that only serves HTTP runs few. */
  static readonly layer: Layer.Layer<WorkerHealth, never, Runners | ScheduledJobs> = Layer.effect(
    this,
    Effect.zipWith(Runners, ScheduledJobs, (runners, jobs) =>
      WorkerHealth.of({
        report: Effect.zipWith(
          runners.report,
          jobs.report,
          (report, scheduled_jobs): WorkerHealthReport => ({ ...report, scheduled_jobs })
        )
      }))
  )
}
