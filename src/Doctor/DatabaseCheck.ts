import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { SqlError } from "@effect/sql/SqlError"
import { error, type Finding, ok, skipped, warning } from "@troupe/domain/Finding"
import { inspect } from "@troupe/embedded-postgres/Cluster"
import { Clock, Duration, Effect, Option, type Redacted } from "effect"
import { heldBack } from "../Runtime/Database/Cleaning.ts"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import * as Pooler from "../Runtime/Database/Pooler.ts"
import * as Sql from "../Runtime/Database/Sql.ts"
import type { Check } from "./Check.ts"

type Files = FileSystem.FileSystem | Path.Path
type Client = Effect.Effect.Success<ReturnType<typeof Sql.make>>

const oldestMajor = 14
const slowMillis = 20
const maxSkewMillis = 1_000

const versionOf = (sql: Client): Effect.Effect<Finding, SqlError> =>
  Effect.map(sql<{ version: string }>`select current_setting('server_version') as version`, ([row]) => {
    const version = row?.version ?? "unknown"
    return Number.parseInt(version) >= oldestMajor
      ? ok("database", `PostgreSQL ${version} answers.`)
      : warning(
        "database",
        `PostgreSQL ${version} is not supported any more.`,
        `Upgrade to PostgreSQL ${oldestMajor} or newer.`
      )
  })

/** The fastest of five round trips: the others may have waited for something else. */
const latencyOf = (sql: Client): Effect.Effect<number, SqlError> =>
  Effect.map(
    Effect.replicateEffect(Effect.map(Effect.timed(sql`select 1`), ([time]) => Duration.toMillis(time)), 5),
    (times) => Math.min(...times)
  )

const latency = (millis: number): Finding => {
  const detail = `${millis.toFixed(1)} ms for a statement`
  return millis <= slowMillis
    ? ok("latency", detail)
    : warning("latency", detail, "Each step of a task waits for it: run the service near its database.")
}

const clock = (sql: Client): Effect.Effect<Finding, SqlError> =>
  Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* sql<
      { millis: number }
    >`select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
    const after = yield* Clock.currentTimeMillis
    const skew = Math.round((row?.millis ?? 0) - (before + after) / 2)
    const detail = `The database's clock differs by ${Math.abs(skew)} ms.`
    return Math.abs(skew) <= maxSkewMillis + (after - before)
      ? ok("clock", detail)
      : warning("clock", detail, "Synchronise both clocks by NTP: timers and time-outs use the database's.")
  })

const pgvector = (sql: Client, isEmbedded: boolean): Effect.Effect<Finding, SqlError> =>
  Effect.map(
    sql<
      { installed: string | null }
    >`select installed_version as installed from pg_available_extensions where name = 'vector'`,
    ([row]) => {
      const scan = "pgvector is not available; memories are compared one by one, which is fast enough for thousands."
      if (row !== undefined) {
        return ok(
          "pgvector",
          row.installed === null ? "Available; the service creates it if it may." : `Version ${row.installed}`
        )
      }
      return isEmbedded
        ? ok("pgvector", scan)
        : warning("pgvector", scan, "For many memories install pgvector on the database server.")
    }
  )

const cleaning = (sql: Client): Effect.Effect<Finding, SqlError> =>
  Effect.map(heldBack(sql), ([found, ...others]) =>
    found === undefined
      ? ok("cleaning", "Nothing keeps the database from removing old rows.")
      : warning("cleaning", [found, ...others].map(({ problem }) => problem).join(" "), found.fix))

const migrations = (sql: Client) =>
  Effect.gen(function*() {
    const [table] = yield* sql<{ name: string | null }>`select to_regclass('troupe_migrations')::text as name`
    if (table?.name === null) return ok("migrations", "The database is empty; the first start creates the tables.")
    const rows = yield* sql<{ id: number; name: string }>`select migration_id as id, name from troupe_migrations`
    const known = yield* Migrations.known
    if (Migrations.isUnreleased(known, rows)) return error("migrations", Migrations.unreleased, Migrations.beginAnew)
    const done = new Set(rows.map(({ id }) => id))
    const newer = [...done].filter((id) => !known.has(id))
    const pending = [...known.keys()].filter((id) => !done.has(id))
    if (newer.includes(Migrations.unfinishedRestore)) {
      return error("migrations", Migrations.restoreUnfinished, "Run troupe restore again.")
    }
    if (newer.length > 0) {
      return error(
        "migrations",
        `The database was migrated by a newer version (${newer.join(", ")}).`,
        "Start that version."
      )
    }
    return ok("migrations", pending.length === 0 ? "Up to date" : `${pending.length} to be applied by the next start`)
  })

const setDirect = "Set DATABASE_DIRECT_URL to the address of the database server itself."

/** Nothing without a pooler and a second address. */
const pooler = (url: Redacted.Redacted, directUrl: Option.Option<Redacted.Redacted>) =>
  Effect.gen(function*() {
    const connectTimeout = "0 seconds"
    const pooled = yield* Pooler.found(url, { connectTimeout })
    const pooledText = `DATABASE_URL leads ${pooled.isPooler ? "through a connection pooler" : "to the server itself"}`
    if (Option.isNone(directUrl)) {
      return pooled.isPooler
        ? [warning("pooler", `${pooledText}, so no notifications arrive, and tasks start later.`, setDirect)]
        : []
    }
    const setting = "DATABASE_DIRECT_URL"
    const direct = yield* Pooler.found(directUrl.value, { connectTimeout, setting })
    if (!Pooler.isSame(pooled, direct)) {
      return [error("pooler", `${setting} can't be used: ${Pooler.anotherDatabase}.`, setDirect)]
    }
    return direct.isPooler
      ? [warning("pooler", `${setting} leads through a connection pooler too, so no notifications arrive.`, setDirect)]
      : [ok("pooler", `${pooledText}, ${setting} to the server.`)]
  }).pipe(Effect.catchAll(({ detail, server, setting }) =>
    Effect.succeed([error("pooler", `${server} (${setting}) can't be used: ${detail}.`, `Check ${setting}.`)])
  ))

const connected = (
  url: Redacted.Redacted,
  isEmbedded: boolean,
  directUrl: Option.Option<Redacted.Redacted> = Option.none()
) =>
  Effect.gen(function*() {
    const sql = yield* Sql.make({
      maxConnections: 1,
      connectTimeout: "0 seconds",
      statementTimeout: "5 seconds",
      applicationName: "troupe-doctor"
    })
    const found = yield* Effect.all([
      versionOf(sql),
      Effect.map(latencyOf(sql), latency),
      clock(sql),
      pgvector(sql, isEmbedded),
      cleaning(sql),
      migrations(sql)
    ]).pipe(Effect.catchAll(({ message }) =>
      Effect.succeed([error("database", `A statement failed: ${message}`, "See the log of the database.")])
    ))
    return [...found, ...yield* pooler(url, directUrl)]
  }).pipe(Effect.scoped, Effect.provide(Pooler.layer(url, { connectTimeout: "0 seconds" })))

/** The database at `DATABASE_URL`. */
const remote = (
  url: Redacted.Redacted,
  directUrl: Option.Option<Redacted.Redacted>
): Effect.Effect<ReadonlyArray<Finding>, never, Files> =>
  Effect.catchAll(connected(url, false, directUrl), ({ detail, server }) =>
    Effect.succeed([
      error("database", `${server} can't be used: ${detail}.`, "Check DATABASE_URL, and that the server runs.")
    ]))

/** The embedded database; it runs while the service does. */
const embedded = (folder: string): Effect.Effect<ReadonlyArray<Finding>, never, Files> =>
  Effect.gen(function*() {
    const { isCreated, url } = yield* inspect(folder)
    const stopped = isCreated
      ? `Embedded PostgreSQL in ${folder}; it starts with the service.`
      : `Embedded PostgreSQL; the first start creates it in ${folder}.`
    const idle = [
      ok("database", stopped),
      skipped("latency", "The database is not running.", "Run this again while the service runs.")
    ]
    return yield* Option.match(url, {
      onNone: () => Effect.succeed(idle),
      onSome: (url) => Effect.orElseSucceed(connected(url, true), () => idle)
    })
  }).pipe(
    Effect.catchAll(({ message }) => Effect.succeed([error("database", message, "Set DATABASE_URL, or run npm ci.")]))
  )

/** The database that the service uses: `url`, else the embedded one in `folder`. `directUrl` leads past a pooler. */
export const databaseCheck = (
  { directUrl = Option.none(), folder, url }: {
    readonly url: Option.Option<Redacted.Redacted>
    readonly directUrl?: Option.Option<Redacted.Redacted>
    readonly folder: string
  }
): Check<Files> => ({
  name: "database",
  run: Option.match(url, {
    onNone: () => embedded(folder),
    onSome: (url) => remote(url, directUrl)
  })
})
