import { SqlError } from "@effect/sql/SqlError"
import { Context, Duration, Effect, Layer, Redacted, type Scope } from "effect"
import Pg from "pg"

/** A statement that PostgreSQL parses and plans once per connection, by its name. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

export type Row = Readonly<Record<string, unknown>>

/**
 * The hot path's door to PostgreSQL: a few connections of its own that run named prepared statements, each its own
 * transaction. (`SqlClient` sends every statement unnamed, so the server would plan the journal's at each step: that
 * costs more than running it.) A statement that was sent is not called off by interruption, as it may have committed.
 */
export class PreparedStatements extends Context.Tag("troupe/Runtime/PreparedStatements")<PreparedStatements, {
  readonly execute: (
    statement: Prepared,
    values: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
}>() {
  static readonly layer = (options: {
    readonly url: Redacted.Redacted
    readonly maxConnections: number
    readonly applicationName: string
    readonly timeout?: Duration.DurationInput
  }): Layer.Layer<PreparedStatements> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const pool = yield* makePool(options)
        const execute = (statement: Prepared, values: ReadonlyArray<unknown>) =>
          Effect.uninterruptible(Effect.async<ReadonlyArray<Row>, SqlError>((resume) => {
            pool.query({ name: statement.name, text: statement.text, values: [...values] }, (cause, result) => {
              resume(
                cause
                  ? Effect.fail(new SqlError({ cause, message: `Statement ${statement.name} failed` }))
                  : Effect.succeed(result.rows)
              )
            })
          }))
        return PreparedStatements.of({ execute })
      })
    )
}

const makePool = (options: {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
  readonly applicationName: string
  readonly timeout?: Duration.DurationInput
}): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const timeout = Duration.toMillis(options.timeout ?? "20 seconds")
      const pool = new Pg.Pool({
        connectionString: Redacted.value(options.url),
        max: options.maxConnections,
        application_name: options.applicationName,
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
        idleTimeoutMillis: 60_000,
        statement_timeout: timeout,
        lock_timeout: timeout / 2,
        idle_in_transaction_session_timeout: timeout,
        // The server may be frozen and never answer: the client gives up a little after the server would have.
        query_timeout: timeout + 2_000
      })
      // A connection that breaks while idle is dropped by the pool; without a listener the process would end.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.timeout("2 seconds"), Effect.ignore)
  )
