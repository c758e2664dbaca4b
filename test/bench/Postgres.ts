import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import type { EmbeddedPostgresFailed } from "@troupe/embedded-postgres/EmbeddedPostgresFailed"
import { Effect, Redacted, type Scope } from "effect"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"

/** The server's statistics of one database so far. */
export interface Counted {
  readonly position: string
  readonly walBytes: number
  readonly transactions: number
  readonly statements: number
}

/** The server, over a connection outside of the measured database. */
export interface Postgres {
  readonly url: string
  readonly version: string
  /** The postmaster, if it runs on this machine and its folder is readable. */
  readonly pid: number | null
  readonly freshDatabase: (name: string) => Effect.Effect<string>
  readonly checkpoint: Effect.Effect<void>
  readonly counted: (database: string) => Effect.Effect<Counted>
  /** Bytes of full-page images written since. */
  readonly imagesSince: (position: string) => Effect.Effect<number | null>
}

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"))
    await chmod(folder, 0o711)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
)

/** With full durability: `fsync`, `synchronous_commit` and full-page writes. */
export const open = (given: string | null): Effect.Effect<Postgres, EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const url = given ?? (yield* embedded)
    const admin = yield* connect(onDatabase(url, "postgres"))
    yield* ask(admin, "create extension if not exists pg_stat_statements")
    const walinspect = yield* Effect.isSuccess(
      Effect.tryPromise(() => admin.query("create extension if not exists pg_walinspect"))
    )
    const [about] = yield* ask<{ version: string; folder: string }>(
      admin,
      "select current_setting('server_version') as version, current_setting('data_directory') as folder"
    )
    const pidFile = yield* Effect.promise(() =>
      readFile(join(about?.folder ?? "", "postmaster.pid"), "utf8").catch(() => "")
    )
    const pid = Number(pidFile.split("\n")[0])
    return {
      url,
      version: about?.version ?? "",
      pid: pid > 0 ? pid : null,
      freshDatabase: (name) =>
        Effect.gen(function*() {
          yield* ask(admin, `drop database if exists ${name} with (force)`)
          yield* ask(admin, `create database ${name}`)
          return onDatabase(url, name)
        }),
      checkpoint: Effect.asVoid(ask(admin, "checkpoint")),
      counted: (database) =>
        // Sessions report their statistics after a second without work.
        Effect.delay(
          Effect.map(ask<CountedRow>(admin, counting, [database]), ([row]) => ({
            position: row?.position ?? "0/0",
            walBytes: Number(row?.wal_bytes),
            transactions: Number(row?.transactions),
            statements: Number(row?.statements)
          })),
          "1300 millis"
        ),
      imagesSince: (position) =>
        walinspect
          ? Effect.map(ask<{ bytes: string }>(admin, images, [position]), ([row]) => Number(row?.bytes))
          : Effect.succeed(null)
    }
  })

const embedded = Effect.gen(function*() {
  const dataDir = yield* temporaryFolder
  return Redacted.value(yield* EmbeddedPostgres.start({ dataDir, durable: true }))
})

export const onDatabase = (url: string, name: string): string => {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

export const connect = (url: string): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

export const ask = <Row extends object>(
  client: Client,
  text: string,
  values: ReadonlyArray<unknown> = []
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.promise(() => client.query<Row>(text, [...values]).then(({ rows }) => rows))

/** Size of the service's tables and indexes. */
export const storedBytes = (client: Client): Effect.Effect<number> =>
  Effect.map(
    ask<{ bytes: string }>(
      client,
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
where relkind = 'r' and relnamespace = 'public'::regnamespace`
    ),
    ([row]) => Number(row?.bytes ?? 0)
  )

/** Marks statements of the benchmark itself. */
export const uncounted = "/* bench */"

interface CountedRow {
  readonly position: string
  readonly wal_bytes: string
  readonly transactions: string
  readonly statements: string
}

const counting = `select pg_current_wal_insert_lsn()::text as position, pg_current_wal_lsn() - '0/0' as wal_bytes,
  pg_snapshot_xmax(pg_current_snapshot())::text as transactions,
  (select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where d.datname = $1 and position('${uncounted}' in query) = 0) as statements`

const images = `select coalesce(sum(fpi_size), 0) as bytes
from pg_get_wal_stats($1::pg_lsn, (select pg_current_wal_flush_lsn()), false)`
