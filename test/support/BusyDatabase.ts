import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"

/** As a pool fails whose connections are all in use. */
export const noConnection = new SqlError({ cause: new Error("timeout exceeded when trying to connect") })

/** A client of which the first statement, or the first reserved connection, gets no connection in time. */
export const busyAtFirst = (): Layer.Layer<SqlClient, never, SqlClient> => {
  let isFirst = true
  const orBusy = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | SqlError, R> => {
      const isBusy = isFirst
      isFirst = false
      return isBusy ? noConnection : effect
    })
  return Layer.effect(
    SqlClient,
    Effect.map(SqlClient, (sql): SqlClient => {
      const client: SqlClient = new Proxy(sql, {
        apply: (target, self, words) => isFirst ? orBusy(Effect.void) : Reflect.apply(target, self, words),
        get: (target, key) =>
          key === "reserve"
            ? orBusy(target.reserve)
            : key === "withoutTransforms"
            ? () => client
            : Reflect.get(target, key)
      })
      return client
    })
  )
}
