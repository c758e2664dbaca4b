import { Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { Sandbox } from "./Sandbox.ts"

/** Deletes the uploads of processes that ended while they received them, every hour. */
export const layer: Layer.Layer<never, never, Sandbox | ScheduledJobs> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Sandbox, ScheduledJobs]), ([sandbox, jobs]) =>
    jobs.start({
      name: "upload_cleanup",
      scope: "process",
      schedule: Schedule.spaced("1 hour"),
      run: sandbox.removeStaleUploads
    }))
)
