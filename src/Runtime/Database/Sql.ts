import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { make as makeClient, SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import type { Caller } from "@troupe/domain/Caller"
import { Context, type Duration, Effect, Exit, Fiber, Layer, Option, Redacted, Schedule, Schema, Scope } from "effect"
import { errorCode, errorText } from "../ErrorText.ts"
import { cancelByProtocol } from "./CancelRequest.ts"
import { makePool } from "./Connections.ts"
import { DatabaseProbe } from "./DatabaseProbe.ts"
import { DatabaseSetting, DatabaseUrl } from "./DatabaseUrl.ts"
import { beginAs, orNotAllowed, statementCaller } from "./Isolation.ts"

/** SQLSTATE classes in which the server is unavailable, shutting down or short of resources (PostgreSQL, app. A). */
const unavailableClasses = ["08", "53", "57", "58"]

const sqlState = ({ cause }: SqlError): string | null => {
  const code = errorCode(cause)
  return /^[0-9A-Z]{5}$/.test(code) ? code : null
}

/** The server answered and refused the statement; the same statement would be refused again. */
export const isRefusal = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state !== null && !unavailableClasses.includes(state.slice(0, 2)) && !state.startsWith("40")
    && !state.startsWith("55")
}

/** The server is unavailable, restarting, overloaded or did not respond in time; a later attempt may succeed. */
export const isUnavailable = (error: SqlError): boolean => !isRefusal(error)

/** PostgreSQL rolled the statement back for another one, as in a deadlock; it may be repeated. */
export const isConflict = (error: SqlError): boolean =>
  !isRefusal(error) && /deadlock|serializ/i.test(String(error.cause))

/** The database refuses the connection. `server` names it without user and password. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  server: Schema.String,
  setting: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The database at ${this.server} (${this.setting}) can't be used: ${this.detail}. Check ${this.setting}, and that the server runs.`
  }
}

export interface SqlOptions {
  readonly maxConnections: number
  readonly connectTimeout?: Duration.DurationInput
  readonly statementTimeout?: Duration.DurationInput
  readonly applicationName?: string
}

/** Retries work of a start while the server is unavailable, also where a repository made a defect of the error. */
export const untilAvailable =
  (timeout: Duration.DurationInput = "30 seconds") =>
  <A, E, R>(work: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.retry(Effect.catchSomeDefect(work, sqlErrorOf), {
      while: (error) => error instanceof SqlError && isUnavailable(error),
      schedule: Schedule.spaced("1 second").pipe(Schedule.upTo(timeout))
    })

const sqlErrorOf = (defect: unknown) => defect instanceof SqlError ? Option.some(defect) : Option.none()

/** Makes the first call to a server, which a start waits for up to 30 s. */
export const reached = <A>(
  call: () => Promise<A>,
  timeout?: Duration.DurationInput
): Effect.Effect<A, DatabaseUnreachable, DatabaseUrl> =>
  Effect.flatMap(
    Effect.zip(Effect.map(DatabaseUrl, serverName), DatabaseSetting),
    ([server, setting]) =>
      Effect.tryPromise({ try: call, catch: (cause) => new SqlError({ cause, message: detailOf(cause) }) }).pipe(
        Effect.tapError((error) =>
          Effect.logWarning(`Waiting for the database at ${server} (${setting}): ${error.message}`).pipe(
            Effect.when(() => isUnavailable(error))
          )
        ),
        untilAvailable(timeout),
        Effect.mapError(({ message }) => new DatabaseUnreachable({ server, setting, detail: message }))
      )
  )

/**
 * For everything off the hot path. Rows keep their snake_case names. A start waits up to 30 s for a server that does
 * not run yet.
 */
export const make = (
  options: SqlOptions
): Effect.Effect<PgClient.PgClient, DatabaseUnreachable, DatabaseUrl | Scope.Scope> =>
  Effect.map(withPool(options), ({ client }) => client)

const withPool = (options: SqlOptions) =>
  Effect.gen(function*() {
    const applicationName = options.applicationName ?? "troupe"
    const statementTimeout = options.statementTimeout ?? "60 seconds"
    const pool = yield* makePool({ maxConnections: options.maxConnections, applicationName, statementTimeout })
    const query = pool.query.bind(pool)
    cancelByProtocol(pool)
    yield* reached(() => query("select 1"), options.connectTimeout)
    const client = yield* Effect.orDie(PgClient.fromPool({ acquire: Effect.succeed(pool) }))
    return { client, pool }
  }).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))

export const layer = (options: SqlOptions): Layer.Layer<DatabaseProbe | SqlClient, DatabaseUnreachable, DatabaseUrl> =>
  Layer.scopedContext(
    Effect.gen(function*() {
      const { client: { reserve }, pool } = yield* withPool(options)
      const acquirer = acquiredWhole(Effect.flatMap(statementCaller, (caller) =>
        caller === null
          ? reserve
          : Effect.tap(reserve, (connection) => transactionOf(connection, caller))))
      const sql = yield* makeClient({
        acquirer,
        transactionAcquirer: acquirer,
        compiler: PgClient.makeCompiler(),
        spanAttributes: []
      })
      return Context.make(SqlClient, sql).pipe(Context.add(DatabaseProbe, DatabaseProbe.make(sql, pool)))
    })
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * The client loses a connection that arrives after an interruption, or whose transaction does not begin; another fiber
 * waits for it and returns it.
 */
const acquiredWhole = <A, E>(reserve: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const acquiring = yield* Effect.forkDaemon(Scope.extend(reserve, scope))
      const acquired = yield* restore(Fiber.join(acquiring)).pipe(
        Effect.onError(() =>
          Effect.forkDaemon(Effect.flatMap(Fiber.await(acquiring), (exit) => Scope.close(scope, exit)))
        )
      )
      yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
      return acquired
    })
  )

/** A commit that fails is a defect, because the statement has succeeded already. */
const transactionOf = (connection: Connection, caller: Caller) =>
  Effect.acquireRelease(
    orNotAllowed(connection.executeUnprepared(beginAs(caller), [], undefined)).pipe(
      Effect.onError(() => Effect.ignore(connection.executeUnprepared("rollback", [], undefined)))
    ),
    (_, exit) => Effect.orDie(connection.executeUnprepared(Exit.isSuccess(exit) ? "commit" : "rollback", [], undefined))
  )

/** `host:port/database`: what may be shown of an address. */
export const serverName = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${pathname}`
}

/** A connection that is refused has no message of its own on some systems, only a code. */
const detailOf = (cause: unknown): string => errorText(cause, "message") || errorCode(cause) || "no response"
