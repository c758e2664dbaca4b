import { Duration, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { removeOld } from "./TaskDeletion.ts"

export interface RetentionOptions {
  /** 0: they are kept. Read at each run. */
  readonly taskDays: number
  /** Each element makes it run at once. */
  readonly changes?: Stream.Stream<unknown>
}

/** Deletes finished tasks so many days after their end, with everything of theirs, every hour on one worker. */
export const layer = (options: RetentionOptions): Layer.Layer<never, never, PreparedStatements | ScheduledJobs> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const { execute } = yield* PreparedStatements
    const jobs = yield* ScheduledJobs
    yield* jobs.start({
      name: "task_retention",
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      wakeUps: options.changes ?? Stream.empty,
      run: Effect.suspend(() => {
        const { taskDays } = options
        if (taskDays === 0) return Effect.void
        const seconds = Duration.toSeconds(Duration.days(taskDays))
        let last: Slice = { ended: "-infinity", id: "00000000-0000-0000-0000-000000000000", deleted: 0 }
        let deleted = 0
        const next = Effect.suspend(() => execute(removeOld({ seconds, ended: last.ended, id: last.id })))
        const slice = slices(Effect.retry(next, { times: 3, while: isConflict })).pipe(
          Effect.tap(([found]) =>
            Effect.sync(() => {
              last = found ?? last
              deleted += found?.deleted ?? 0
            })
          )
        )
        return Effect.zipRight(
          inSlices(slice, ({ length }) => length > 0),
          Effect.suspend(() => deleted === 0 ? Effect.void : Effect.logInfo(`Deleted ${deleted} old tasks`))
        )
      })
    })
  }))

const Slice = Schema.Struct({ ended: Schema.String, id: Schema.String, deleted: Schema.Int })
type Slice = typeof Slice.Type
const slices = rowsOf(Slice)
