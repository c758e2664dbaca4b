import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { makePool } from "./Connections.ts"
import { type DatabaseUrl, ThroughPooler } from "./DatabaseUrl.ts"
import { send } from "./Isolation.ts"

/** A statement with the values of its parameters. PostgreSQL plans it once per connection, by its name of at most 63 characters. */
export interface Query {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/**
 * A statement whose text names its parameters, `$runner`, also within fragments that it shares with others. They are
 * numbered once, when the module is loaded; PostgreSQL refuses a name that is not listed, and a listed one without use.
 */
export const prepared = <const Parameter extends string>(
  name: string,
  parameters: ReadonlyArray<Parameter>,
  text: string
) => {
  const numbers = new Map<string, string>(parameters.map((parameter, index) => [parameter, `$${index + 1}`]))
  const numbered = text.replaceAll(/\$([a-z]\w*)/gi, (word, parameter: string) => numbers.get(parameter) ?? word)
  return (values: { readonly [Name in Parameter]: unknown }): Query => ({
    name,
    text: numbered,
    values: parameters.map((parameter) => values[parameter])
  })
}

export type Row = Readonly<Record<string, unknown>>

/**
 * For the hot path: `SqlClient` would have each statement planned anew, as a pooler does, behind which sessions change.
 * Interruption cancels no sent statement.
 */
export class PreparedStatements extends Context.Tag("troupe/Runtime/Database/PreparedStatements")<PreparedStatements, {
  readonly execute: (query: Query) => Effect.Effect<ReadonlyArray<Row>, SqlError>
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
        const isNamed = !(yield* ThroughPooler)
        return PreparedStatements.of({
          execute: ({ name, text, values }) =>
            name.length > 63
              ? Effect.dieMessage(`The statement name ${name} is longer than 63 characters`)
              : Effect.uninterruptible(send(
                pool,
                { ...(isNamed ? { name } : {}), text, values: [...values] },
                `Statement ${name} failed`
              ))
        })
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
