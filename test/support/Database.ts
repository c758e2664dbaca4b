import { Effect, Layer, Redacted } from "effect"
import { Client, DatabaseError, Pool } from "pg"
import { v7 } from "uuid"
import { inject } from "vitest"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"

/** A statement on the server that the test run started, outside of any test's database. */
const onServer = (statement: string) => Effect.promise(() => poolOf(inject("databaseUrl"), 30_000).query(statement))

const copyOf = (template: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `test_${v7().replaceAll("-", "")}`
      // Copying the files takes half the time of copying the blocks by way of the log.
      yield* onServer(`create database ${name} template ${template} strategy file_copy`)
      const url = new URL(inject("databaseUrl"))
      url.pathname = `/${name}`
      return { name, url: Redacted.make(url.href) }
    }),
    ({ name }) => Effect.orDie(onServer(`drop database if exists ${name} with (force)`))
  ).pipe(Effect.map(({ url }) => url))

/** The URL of a database of its own, migrated, which is dropped with the scope. */
export const freshDatabase = copyOf("troupe_template")

/** The same without a table. */
export const emptyDatabase = copyOf("template0")

export const layer: Layer.Layer<DatabaseUrl> = Layer.scoped(DatabaseUrl, freshDatabase)

/** Tests ask many times until an answer fits: a connection for each question would cost more than the question. */
const pools = new Map<string, Pool>()

const poolOf = (connectionString: string, idleTimeoutMillis = 1_000) => {
  const existing = pools.get(connectionString)
  if (existing !== undefined) return existing
  const pool = new Pool({ connectionString, idleTimeoutMillis, allowExitOnIdle: true })
  // Servers of tests are stopped and killed, and databases dropped, under idle connections.
  pool.on("error", () => {})
  pools.set(connectionString, pool)
  return pool
}

const isDeadlock = (error: unknown): boolean => error instanceof DatabaseError && error.code === "40P01"

/**
 * One statement on a database, for a test that looks past the service. The service goes on beside it: a statement that
 * PostgreSQL ends to resolve a deadlock with the service has done nothing, and is made again.
 */
export const query = <Row extends object>(
  url: Redacted.Redacted,
  text: string,
  values: ReadonlyArray<unknown> = []
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.tryPromise(() => poolOf(Redacted.value(url)).query<Row>(text, [...values])).pipe(
    Effect.retry({ while: ({ error }) => isDeadlock(error), times: 10 }),
    Effect.catchAll(({ error }) => Effect.die(error)),
    Effect.map(({ rows }) => rows)
  )

/**
 * Runs the effect while a transaction holds this lock. The statements that wait for it at the end are ended with their connections,
 * as those of processes that were killed.
 */
export const whileLocked = <A, E, R>(url: Redacted.Redacted, lock: string, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: Redacted.value(url) })
      await client.connect()
      await client.query(`begin; ${lock}`)
      return client
    }),
    () => effect,
    (client) =>
      Effect.promise(async () => {
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        )
        await client.end()
      })
  )
