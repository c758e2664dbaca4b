import { Effect, Layer, Schedule } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"

/** Removes what has expired, every hour: idempotency keys older than a day. Any number of workers may do so. */
export const layer: Layer.Layer<never, never, PreparedStatements> = Layer.scopedDiscard(
  Effect.flatMap(PreparedStatements, (database) =>
    database.execute(purge, []).pipe(
      Effect.catchAll((error) => Effect.logWarning("Expired idempotency keys were not removed", error)),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped
    ))
)

const purge: Prepared = {
  name: "idempotency_keys_purge",
  text: "delete from idempotency_keys where created_at < now() - interval '24 hours'"
}
