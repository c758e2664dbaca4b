import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { DatabaseUrl } from "./DatabaseUrl.ts"
import { send } from "./Isolation.ts"
import { makePool } from "./Pool.ts"

/**
 * A statement that PostgreSQL parses and plans once per connection, by its name: at most 63 characters, or two names
 * that only differ after that would be one.
 */
export interface Prepared {
  readonly name: string
  readonly text: string
}

export type Row = Readonly<Record<string, unknown>>

/**
 * PostgreSQL for the hot path: a few connections that run named prepared statements, each a transaction of its own.
 * (`SqlClient` sends every statement unnamed, so the server would plan the journal's at each step, which costs more than
 * running it.) Interruption does not cancel a statement that was sent, because it may have committed.
 */
export class PreparedStatements extends Context.Tag("troupe/Runtime/PreparedStatements")<PreparedStatements, {
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
          url: yield* DatabaseUrl,
          maxConnections: options.maxConnections,
          applicationName: "troupe-hot",
          statementTimeout: "20 seconds",
          session: keyedPlans
        })
        const execute = (statement: Prepared, values: ReadonlyArray<unknown>) =>
          statement.name.length > 63
            ? Effect.dieMessage(`The statement name ${statement.name} is longer than 63 characters`)
            : Effect.uninterruptible(Effect.mapError(
              send(pool, { name: statement.name, text: statement.text, values: [...values] }),
              ({ cause }) => new SqlError({ cause, message: `Statement ${statement.name} failed` })
            ))
        return PreparedStatements.of({ execute })
      })
    )
}

/**
 * These statements reach every row by a key. A plan is kept for the life of a connection, so it must be the one that
 * stays right as the tables grow, not the scan that was cheapest while they were empty.
 */
export const keyedPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off"
}
