import { Effect, Layer } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"

/** How many rows one statement removes: none is held up for longer than that takes. */
const batch = 1_000

/**
 * Removes what has expired, every hour: idempotency keys older than a day, and marks of remembered tasks that nobody
 * looks for any more. One worker at a time does so.
 */
export const layer: Layer.Layer<never, never, PreparedStatements | ScheduledJobs> = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([PreparedStatements, ScheduledJobs]), ([database, jobs]) =>
    jobs.every({
      name: "housekeeping",
      scope: "cluster",
      interval: "1 hour",
      run: Effect.forEach(purges, (purge) =>
        database.execute(purge, [batch]).pipe(Effect.repeat({ while: (removed) => removed.length === batch })), {
        discard: true
      })
    }))
)

/** A key that is used again meanwhile is as good as new, and stays. */
const idempotencyKeys: Prepared = {
  name: "idempotency_keys_purge",
  text: `
delete from idempotency_keys k using (
  select caller, key from idempotency_keys where created_at < now() - interval '24 hours'
  order by created_at limit $1::integer for update skip locked
) old
where k.caller = old.caller and k.key = old.key
returning 1`
}

const rememberedTasks: Prepared = {
  name: "remembered_tasks_purge",
  text: `
delete from remembered_tasks m using (
  select task_id from remembered_tasks where at < now() - interval '2 days'
  order by at limit $1::integer for update skip locked
) old
where m.task_id = old.task_id
returning 1`
}

const purges = [idempotencyKeys, rememberedTasks]
