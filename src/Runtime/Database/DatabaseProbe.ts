import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Predicate } from "effect"
import type { Pool, PoolClient } from "pg"
import { asService } from "./Isolation.ts"

/** Whether the database responds. */
export class DatabaseProbe extends Context.Tag("troupe/Runtime/Database/DatabaseProbe")<DatabaseProbe, {
  /**
   * Succeeds with the response to a statement: of its own, or of another one meanwhile. A busy process is no unavailable
   * database, but makes its statement wait for a connection.
   */
  readonly response: Effect.Effect<void, SqlError>
}>() {
  static readonly make = (sql: SqlClient, pool: Pool): DatabaseProbe["Type"] =>
    DatabaseProbe.of({
      // Also for requests without a sign-in.
      response: Effect.raceFirst(Effect.disconnect(Effect.asVoid(asService(sql`select 1`))), otherResponse(pool))
    })
}

const otherResponse = (pool: Pool): Effect.Effect<void> =>
  Effect.async((resume) => {
    // A connection is also released after a statement without a response, once that is interrupted or out of time.
    const onRelease = (error: unknown, client: PoolClient) => {
      const isReady = Predicate.hasProperty(client, "readyForQuery") && client.readyForQuery === true
      if (isReady && !(error instanceof Error)) resume(Effect.void)
    }
    pool.on("release", onRelease)
    return Effect.sync(() => pool.off("release", onRelease))
  })
