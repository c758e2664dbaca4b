import { Reactivity } from "@effect/experimental"
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Schedule } from "effect"
import { DatabaseUrl } from "./DatabaseUrl.ts"
import { makePool } from "./Pool.ts"

/** How long a start waits for a configured server that is not up yet. */
const patience = "30 seconds"

/**
 * Effect's client over a pool of ours, for everything that is not on the hot path: migrations and the cluster's
 * tables. Rows keep their snake_case names.
 */
export const layer = (options: {
  readonly maxConnections: number
}): Layer.Layer<SqlClient | PgClient.PgClient, SqlError, DatabaseUrl> =>
  Layer.scopedContext(Effect.gen(function*() {
    const url = yield* DatabaseUrl
    const client = yield* PgClient.fromPool({
      acquire: makePool({
        url,
        maxConnections: options.maxConnections,
        applicationName: "troupe",
        statementTimeout: "60 seconds"
      })
    })
    yield* client`select 1`.pipe(
      Effect.tapError(({ cause }) => Effect.logWarning("PostgreSQL does not answer yet", String(cause))),
      Effect.retry(Schedule.spaced("1 second").pipe(Schedule.upTo(patience)))
    )
    return Context.make(PgClient.PgClient, client).pipe(Context.add(SqlClient, client))
  })).pipe(Layer.provide(Reactivity.layer))
