import { DateTime, Duration, Effect, Layer, Option, Schedule, Stream } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { Signals } from "../../Runtime/Database/Signals.ts"
import { ScheduleRepo } from "./ScheduleRepo.ts"
import { ScheduleRuns } from "./ScheduleRuns.ts"

/**
 * Runs due schedules, in one process of the cluster: when the next is due or made, and after each interval. Every hour
 * it deletes those that ended a month ago.
 */
export const layer = ({ interval }: { readonly interval: Duration.Duration }): Layer.Layer<
  never,
  never,
  Signals | ScheduledJobs | ScheduleRepo | ScheduleRuns
> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const repo = yield* ScheduleRepo
    const runs = yield* ScheduleRuns
    const signals = yield* Signals

    const untilNext = Effect.gen(function*() {
      const now = yield* DateTime.now
      return Option.match(yield* repo.nextAfter(now), {
        onNone: () => interval,
        onSome: (time) => Duration.min(interval, DateTime.distanceDuration(now, time))
      })
    }).pipe(Effect.catchAllCause(() => Effect.succeed(interval)))

    yield* jobs.start({
      name: "scheduler",
      scope: "cluster",
      schedule: Schedule.modifyDelayEffect(Schedule.spaced(interval), () => untilNext),
      // The transaction in which a schedule is made may end a little after its signal.
      wakeUps: Stream.flatMap(
        signals.receive("troupe_schedules"),
        () => Stream.mapEffect(Stream.make(0, 1_000), Effect.sleep),
        { switch: true }
      ),
      run: runs.runDue
    })
    yield* jobs.start({
      name: "schedule_cleanup",
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      run: Effect.flatMap(DateTime.now, (now) => repo.deleteEnded(DateTime.subtract(now, { days: endedForDays })))
    })
  }))

const endedForDays = 30
