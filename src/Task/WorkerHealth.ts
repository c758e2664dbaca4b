import type { WorkerHealthReport } from "@troupe/api/Worker"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer, Struct } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { Runners } from "./Runners.ts"

export class WorkerHealth extends Context.Tag("troupe/Task/WorkerHealth")<WorkerHealth, {
  readonly report: Effect.Effect<WorkerHealthReport, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<WorkerHealth, never, Runners | ScheduledJobs> = Layer.effect(
    this,
    Effect.zipWith(Runners, ScheduledJobs, (runners, jobs) =>
      WorkerHealth.of({
        report: asService(Effect.zipWith(
          runners.report,
          jobs.report,
          ({ longestWaitSeconds, pending_jobs, runners }, scheduled_jobs): WorkerHealthReport => ({
            status: runners.every(({ isLive }) => !isLive)
              ? "down"
              : longestWaitSeconds > maxWaitSeconds || runners.some(({ isLive }) => !isLive)
                  || scheduled_jobs.some(({ last_error }) => last_error !== null)
              ? "degraded"
              : "healthy",
            runners: runners.map(Struct.omit("isLive")),
            pending_jobs,
            scheduled_jobs
          })
        ))
      }))
  )
}

const maxWaitSeconds = 30
