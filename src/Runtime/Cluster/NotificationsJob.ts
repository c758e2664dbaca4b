import { Data, Effect, Layer, Schedule } from "effect"
import { Signals } from "../Database/Signals.ts"
import { ScheduledJobs } from "./ScheduledJobs.ts"

class NotificationsLost extends Data.TaggedError("NotificationsLost")<{ readonly message: string }> {}

/** Reports with the jobs of a worker, which has no health check of its own, that notifications do not reach it. */
export const layer: Layer.Layer<never, never, ScheduledJobs | Signals> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const { problem } = yield* Signals
    yield* (yield* ScheduledJobs).start({
      name: "notifications",
      scope: "process",
      schedule: Schedule.spaced("1 minute"),
      run: Effect.flatMap(problem, (message) => message === null ? Effect.void : new NotificationsLost({ message }))
    })
  })
)
