import { Duration, Effect, Predicate, Redacted, type Scope } from "effect"
import { Client, type ClientConfig, Pool } from "pg"
import { gauge, open } from "../Telemetry/Metrics.ts"
import { DatabaseUrl, ThroughPooler } from "./DatabaseUrl.ts"
import { setForEachTransaction } from "./PoolerSession.ts"

const connections = gauge("troupe_database_connections", "Connections to the database.", {
  pool: open,
  state: ["idle", "in_use"]
})
const waiting = gauge("troupe_database_waiting", "Statements that wait for a connection.", { pool: open })

export interface PoolOptions {
  readonly maxConnections: number
  readonly applicationName: string
  /** Time limit of a statement; a wait for a lock has half of it. Infinite: the pool limits neither. */
  readonly statementTimeout: Duration.DurationInput
  /** Time limit of the wait for a connection while all are in use; default `connectionWait`. */
  readonly waitTimeout?: Duration.DurationInput
  readonly session?: Readonly<Record<string, string>>
}

/** Longer than a burst of requests takes, and shorter than clients wait for a response. */
export const connectionWait = Duration.seconds(20)

/** The pool's message when no connection became free in time; one that can't be opened has another message. */
const noneFree = "timeout exceeded when trying to connect"

export const isNoneFree = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "message") && cause.message === noneFree

const connectTimeout = 5_000

/** The option of the pool limits both, opening a connection and the wait for one. */
class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectTimeout })
  }
}

/**
 * The time zone of every session. The cluster's tables have times without a zone: in the server's own zone, all runners
 * would look dead when its clock is set forward, and a killed one alive for an hour when it is set back.
 */
const zone = { timezone: "UTC" }

/**
 * Every wait is bounded, unless `statementTimeout` is infinite: by the server, a little later by the client, and by TCP
 * keep-alive.
 */
export const makePool = (options: PoolOptions): Effect.Effect<Pool, never, DatabaseUrl | Scope.Scope> =>
  Effect.gen(function*() {
    const connectionString = Redacted.value(yield* DatabaseUrl)
    const throughPooler = yield* ThroughPooler
    const { query_timeout, ...limits } = timeLimits(options.statementTimeout)
    const parameters = { ...zone, ...options.session, ...limits }
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new Pool({
          connectionString,
          max: options.maxConnections,
          application_name: options.applicationName,
          keepAlive: true,
          keepAliveInitialDelayMillis: 10_000,
          Client: PooledClient,
          connectionTimeoutMillis: Duration.toMillis(options.waitTimeout ?? connectionWait),
          idleTimeoutMillis: 60_000,
          ...(query_timeout === undefined ? {} : { query_timeout }),
          ...(throughPooler ? {} : { options: parametersOf(parameters) })
        })
      ),
      (pool) => closed(() => pool.end(), "2 seconds")
    )
    // A connection that breaks while idle is dropped by the pool; without a listener the process would end.
    pool.on("error", () => {})
    if (throughPooler) pool.on("connect", (client) => setForEachTransaction(client, parameters))
    const name = { pool: options.applicationName }
    yield* connections(() => pool.idleCount, { ...name, state: "idle" })
    yield* connections(() => pool.totalCount - pool.idleCount, { ...name, state: "in_use" })
    yield* waiting(() => pool.waitingCount, name)
    return pool
  })

/** A connection outside of all pools, until the scope ends. A pooler would refuse the parameters: only the time zone is set there. */
export const openSession = (options: {
  readonly applicationName: string
  readonly session?: Readonly<Record<string, string>>
}): Effect.Effect<Client, "unreachable", DatabaseUrl | Scope.Scope> =>
  Effect.flatMap(Effect.zip(DatabaseUrl, ThroughPooler), ([url, throughPooler]) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => {
          const client = new Client({
            connectionString: Redacted.value(url),
            application_name: options.applicationName,
            connectionTimeoutMillis: connectTimeout,
            keepAlive: true,
            ...(throughPooler ? {} : { options: parametersOf({ ...zone, ...options.session }) })
          })
          client.on("error", () => {})
          if (throughPooler) setForEachTransaction(client, zone)
          return client.connect().then(() => client)
        },
        catch: () => "unreachable" as const
      }),
      (client) => closed(() => client.end(), "1 second")
    ))

const closed = (end: () => Promise<void>, timeout: Duration.DurationInput): Effect.Effect<void> =>
  Effect.promise(end).pipe(Effect.interruptible, Effect.timeout(timeout), Effect.ignore)

/** Server parameters, as an argument of `postgres`. */
const parametersOf = (session: Readonly<Record<string, string | number>>): string =>
  Object.entries(session).map(([name, value]) => `-c ${name}=${value}`).join(" ")

interface TimeLimits extends Readonly<Record<string, number>> {}

const timeLimits = (statementTimeout: Duration.DurationInput): TimeLimits => {
  const timeout = Duration.toMillis(statementTimeout)
  if (!Number.isFinite(timeout)) return { idle_in_transaction_session_timeout: 60_000 }
  return {
    statement_timeout: Math.ceil(timeout),
    lock_timeout: Math.ceil(timeout / 2),
    idle_in_transaction_session_timeout: Math.ceil(timeout),
    query_timeout: timeout + 2_000
  }
}
