import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { makePool } from "./Connections.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"
import { send } from "./Isolation.ts"

/** PostgreSQL plans it once per connection, by its name of at most 63 characters. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

export type Row = Readonly<Record<string, unknown>>

/** For the hot path: `SqlClient` would have each statement planned anew. Interruption cancels no sent statement. */
export class PreparedStatements extends Context.Tag("troupe/Runtime/Database/PreparedStatements")<PreparedStatements, {
  readonly execute: (
    statement: Prepared,
    values: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
}>() {
  static readonly layer = (options: { readonly maxConnections: number }): Layer.Layer<
    PreparedStatements,
    never,
    DatabaseUrl
  > =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const pool = yield* makePool({
          maxConnections: options.maxConnections,
          applicationName: "troupe-hot",
          statementTimeout: "20 seconds",
          session: keyedPlans
        })
        const execute = (statement: Prepared, values: ReadonlyArray<unknown>) =>
          statement.name.length > 63
            ? Effect.dieMessage(`The statement name ${statement.name} is longer than 63 characters`)
            : Effect.uninterruptible(send(
              pool,
              { name: statement.name, text: statement.text, values: [...values] },
              `Statement ${statement.name} failed`
            ))
        return PreparedStatements.of({ execute })
      })
    )
}

/** Plans are kept, so they must stay right as tables grow, not be the scan that is cheapest on empty ones. */
export const keyedPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off"
}
