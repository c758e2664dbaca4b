import { Duration, Effect, Redacted, type Scope } from "effect"
import { Pool } from "pg"
import { gauge, open } from "./Metrics.ts"

const connections = gauge("troupe_database_connections", "Connections to the database.", {
  pool: open,
  state: ["idle", "in_use"]
})
const waiting = gauge("troupe_database_waiting", "Statements that wait for a connection.", { pool: open })

export interface PoolOptions {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
  readonly applicationName: string
  /** Time limit of a statement; a wait for a lock has half of it. Infinite: the pool limits neither. */
  readonly statementTimeout: Duration.DurationInput
  readonly connectTimeout?: Duration.DurationInput
  readonly session?: Readonly<Record<string, string>>
}

/**
 * Every wait is bounded, unless `statementTimeout` is infinite: by the server, a little later by the client, and by TCP
 * keep-alive.
 */
export const makePool = (options: PoolOptions): Effect.Effect<Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const session = Object.entries(options.session ?? {}).map(([name, value]) => `-c ${name}=${value}`).join(" ")
      const pool = new Pool({
        connectionString: Redacted.value(options.url),
        max: options.maxConnections,
        application_name: options.applicationName,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        connectionTimeoutMillis: Duration.toMillis(options.connectTimeout ?? "5 seconds"),
        idleTimeoutMillis: 60_000,
        ...timeLimits(options.statementTimeout),
        ...(session === "" ? {} : { options: session })
      })
      // A connection that breaks while idle is dropped by the pool; without a listener the process would end.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeout("2 seconds"), Effect.ignore)
  ).pipe(Effect.tap((pool) => {
    const name = { pool: options.applicationName }
    return Effect.all([
      connections(() => pool.idleCount, { ...name, state: "idle" }),
      connections(() => pool.totalCount - pool.idleCount, { ...name, state: "in_use" }),
      waiting(() => pool.waitingCount, name)
    ])
  }))

const timeLimits = (statementTimeout: Duration.DurationInput) => {
  const timeout = Duration.toMillis(statementTimeout)
  if (!Number.isFinite(timeout)) return { idle_in_transaction_session_timeout: 60_000 }
  return {
    statement_timeout: timeout,
    lock_timeout: timeout / 2,
    idle_in_transaction_session_timeout: timeout,
    query_timeout: timeout + 2_000
  }
}
