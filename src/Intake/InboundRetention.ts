import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"

const batch = 1_000

/** Days for which failed messages are kept at least. */
const failedDays = 30

/** Deletes a batch of the messages that were finished before `retention`, failed ones later; yields how many. */
export const deleteBatch = (retention: Duration.Duration): Effect.Effect<number, SqlError, PreparedStatements> => {
  const days = Duration.toDays(retention)
  return Effect.flatMap(
    PreparedStatements,
    ({ execute }) => Effect.map(execute(purge, [days, Math.max(days, failedDays)]), ({ length }) => length)
  )
}

/** Deletes old messages every hour on one worker. */
export const layer = (
  { retention }: { readonly retention: Duration.Duration }
): Layer.Layer<never, never, PreparedStatements | ScheduledJobs> =>
  Layer.scopedDiscard(
    Effect.flatMap(ScheduledJobs, (jobs) =>
      jobs.start({
        name: "inbound_retention",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        run: Effect.repeat(deleteBatch(retention), { while: (deleted) => deleted === batch })
      }))
  )

const purge: Prepared = {
  name: "inbound_purge",
  text: `delete from inbound_messages m using (
  select id from inbound_messages
  where ended_at < now() - make_interval(days => $1::integer)
    and (state = 'done' or ended_at < now() - make_interval(days => $2::integer))
  order by ended_at limit ${batch} for update skip locked
) old
where m.id = old.id
returning 1`
}
