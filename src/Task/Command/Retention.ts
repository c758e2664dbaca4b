import { Duration, Effect, Layer, Schedule, Schema } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { inSlices } from "../../Runtime/Database/Slices.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { removeOld } from "./TaskDeletion.ts"

/** Deletes finished tasks so many days after their end, with everything of theirs, every hour on one worker. 0 days: never. */
export const layer = (days: number): Layer.Layer<never, never, PreparedStatements | ScheduledJobs> =>
  days === 0 ? Layer.empty : Layer.scopedDiscard(Effect.gen(function*() {
    const { execute } = yield* PreparedStatements
    const jobs = yield* ScheduledJobs
    const seconds = Duration.toSeconds(Duration.days(days))
    yield* jobs.start({
      name: "task_retention",
      scope: "cluster",
      schedule: Schedule.spaced("1 hour"),
      run: Effect.suspend(() => {
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
