import { SqlError } from "@effect/sql/SqlError"
import { SearchUnfinished } from "@troupe/domain/Search"
import { Context, type Duration, Effect, Layer, Predicate } from "effect"
import { isNoneFree, makePool } from "./Connections.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"
import { send } from "./Isolation.ts"
import type { Query, Row } from "./PreparedStatements.ts"

/** How many statements may wait for a connection; further ones fail at once. A waiting one takes little memory. */
const maxWaiting = 1_000

/** Listings, searches and reports, planned for their values, on connections of their own: none delays a step. */
export class SearchStatements extends Context.Tag("troupe/Runtime/Database/SearchStatements")<SearchStatements, {
  readonly execute: (query: Query) => Effect.Effect<ReadonlyArray<Row>, SearchUnfinished | SqlError>
}>() {
  static readonly layer = (options: {
    readonly maxConnections: number
    readonly timeout?: Duration.DurationInput
    readonly waitTimeout?: Duration.DurationInput
    readonly maxWaiting?: number
  }): Layer.Layer<SearchStatements, never, DatabaseUrl> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const pool = yield* makePool({
          maxConnections: options.maxConnections,
          applicationName: "troupe-search",
          statementTimeout: options.timeout ?? "5 seconds",
          waitTimeout: options.waitTimeout ?? "5 seconds",
          session: { default_transaction_read_only: "on", jit: "off" }
        })
        return SearchStatements.of({
          execute: ({ name, text, values }) =>
            Effect.suspend(() =>
              pool.waitingCount >= (options.maxWaiting ?? maxWaiting)
                ? Effect.fail(new SearchUnfinished({ reason: "busy" }))
                : Effect.mapError(send(pool, { text, values: [...values] }), ({ cause }) => failureOf(name, cause))
            )
        })
      })
    )
}

/** SQLSTATE of a statement, and of a wait for a lock, that took too long (PostgreSQL, app. A). */
const tooLong: ReadonlyArray<unknown> = ["57014", "55P03"]

const failureOf = (name: string, cause: unknown): SearchUnfinished | SqlError => {
  if (isNoneFree(cause)) return new SearchUnfinished({ reason: "busy" })
  if (Predicate.hasProperty(cause, "code") && tooLong.includes(cause.code)) {
    return new SearchUnfinished({ reason: "slow" })
  }
  return new SqlError({ cause, message: `Statement ${name} failed` })
}
