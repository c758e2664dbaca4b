import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { plural } from "@troupe/domain/Text"
import { version } from "@troupe/domain/Version"
import { Duration, Effect } from "effect"
import { projectFolder } from "../ProjectFolder.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"
import * as Sql from "./Sql.ts"

const ownFolder = new URL("migrations/", projectFolder)

/** The same for all processes: `select hashtext('troupe migrations')`. A restore takes it too. */
export const lock = 1_803_226_051

/** The number of a row that a restore writes with the database, and deletes once the files are in their places. */
export const unfinishedRestore = 2_147_483_647

export const restoreUnfinished =
  "A restore was interrupted after it had replaced the database, and before it had moved all files."

// The migrator detects its table by a statement that fails without it, which would abort the transaction.
export const createTable = `create table if not exists troupe_migrations (
  migration_id integer primary key,
  created_at timestamptz not null default now(),
  name text not null
)`

type Failure = Migrator.MigrationError | SqlError | Sql.DatabaseUnreachable

type Needs = DatabaseUrl | FileSystem.FileSystem | Path.Path

/**
 * Runs `NNNN_verb_noun.sql` by number, each once, in one transaction. Only waits for table locks are limited. Fails with
 * "bad-state" if a newer version of Troupe has migrated the database, or one that lacked some of these.
 */
export const migrate = (folder: URL = ownFolder): Effect.Effect<void, Failure, Needs> =>
  Effect.gen(function*() {
    const sql = yield* Sql.make({
      maxConnections: 1,
      applicationName: "troupe-migrations",
      statementTimeout: Duration.infinity
    })
    const done = yield* sql.withTransaction(run(folder)).pipe(Effect.provideService(SqlClient, sql))
    if (done.length > 0) yield* Effect.logDebug(`Database migrated: ${plural(done.length, "migration")}`)
  }).pipe(Effect.scoped)

/** The names of this version's migrations, by number. */
export const known: Effect.Effect<
  ReadonlyMap<number, string>,
  Migrator.MigrationError,
  FileSystem.FileSystem | Path.Path
> = Effect.suspend(() => Effect.map(filesIn(ownFolder), (files) => new Map(files.map(({ id, name }) => [id, name]))))

const run = (folder: URL) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql`set local statement_timeout = 0`
    yield* sql`set local lock_timeout = 0`
    const [free] = yield* sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${lock}) as locked`
    if (free?.locked !== true) {
      yield* Effect.logInfo("Waiting for another process to migrate the database")
      yield* sql`select pg_advisory_xact_lock(${lock})`
    }
    yield* sql`set local lock_timeout = '30s'`
    yield* sql.unsafe(createTable)
    const files = yield* loader(folder)
    const pending = yield* pendingOf(new Map(files.map(([id, name]) => [id, name])), yield* applied)
    if (pending.length > 0) yield* Effect.logInfo(`Applying ${plural(pending.length, "migration")} ...`)
    const done = yield* Migrator.make({})({ loader: Effect.succeed(files), table: "troupe_migrations" })
    if (done.length > 0 && files.some(([id]) => id === firstWithVersion)) {
      yield* sql`update troupe_migrations set version = ${version} where ${
        sql.in("migration_id", done.map(([id]) => id))
      }`
    }
    return done
  })

/** Since this migration, rows have the version. */
export const firstWithVersion = 46

/** What a start of this version would do to a database. */
export interface Plan {
  /** Nothing was ever migrated. */
  readonly isEmpty: boolean
  /** The last migration that was applied, and the version that did it. Null: it was one before 0.2.0. */
  readonly last: Applied | null
  readonly pending: ReadonlyArray<Script>
}

/** Fails as `migrate` would, and changes nothing. */
export const plan: Effect.Effect<Plan, Failure, Needs> = Effect.gen(function*() {
  const sql = yield* Sql.make({ maxConnections: 1, connectTimeout: "0 seconds", applicationName: "troupe-upgrade" })
  const known = yield* scripts
  const [table] = yield* sql<{ exists: boolean }>`select to_regclass('troupe_migrations') is not null as exists`
  if (table?.exists !== true) return { isEmpty: true, last: null, pending: known }
  const done = yield* Effect.provideService(applied, SqlClient, sql)
  const ids = yield* pendingOf(new Map(known.map(({ id, name }) => [id, name])), done)
  return { isEmpty: done.length === 0, last: done.at(-1) ?? null, pending: known.filter(({ id }) => ids.includes(id)) }
}).pipe(Effect.scoped)

export interface Applied {
  readonly id: number
  readonly name: string
  readonly version: string | null
}

// A database of an earlier version has no such column yet.
const applied: Effect.Effect<ReadonlyArray<Applied>, SqlError, SqlClient> = Effect.flatMap(
  SqlClient,
  (sql) =>
    sql<Applied>`select migration_id as id, name, to_jsonb(m) ->> 'version' as version
from troupe_migrations m order by migration_id`
)

/** Before the first release, the numbers began anew with migrations of other names. */
export const isUnreleased = (
  names: ReadonlyMap<number, string>,
  done: ReadonlyArray<Pick<Applied, "id" | "name">>
): boolean => done.some(({ id, name }) => names.has(id) && names.get(id) !== name)

export const unreleased = "An unreleased version of Troupe made this database, and its data can't be upgraded."

export const beginAnew =
  "Let DATABASE_URL name an empty database or, without it, move the folder DATA_DIR away, then start again."

const badState = (message: string) => new Migrator.MigrationError({ reason: "bad-state", message })

const majorOf = (version: string): string => version.split(".")[0] ?? ""

/**
 * The numbers that are to be applied. An older version on a newer database would misread its rows, and another major version
 * does not know them; a migration with a lower number than the last applied one is left out by the migrator without a word.
 */
const pendingOf = (
  names: ReadonlyMap<number, string>,
  done: ReadonlyArray<Applied>
): Effect.Effect<ReadonlyArray<number>, Migrator.MigrationError> => {
  if (isUnreleased(names, done)) return badState(`${unreleased} ${beginAnew}`)
  if (done.some(({ id }) => id === unfinishedRestore)) {
    return badState(`${restoreUnfinished} Run troupe restore again.`)
  }
  const newest = Math.max(0, ...names.keys())
  const newer = done.filter(({ id }) => id > newest)
  const by = done.findLast((one) => one.version !== null)?.version ?? null
  if (newer.length > 0) {
    return badState(
      `A newer version of Troupe${by === null ? "" : ` (${by})`} has migrated this database (${
        plural(newer.length, "migration")
      } that this version, ${version}, does not know, the last is ${
        newer.at(-1)?.id
      }). Start that version, or restore a backup made before the upgrade.`
    )
  }
  if (by !== null && majorOf(by) !== majorOf(version)) {
    return badState(
      `Troupe ${by} has migrated this database, and ${version} upgrades databases of version ${majorOf(version)} only. `
        + "CHANGELOG.md says how to get from one major version to the next."
    )
  }
  const last = Math.max(0, ...done.map(({ id }) => id))
  const pending = [...names.keys()].filter((id) => !done.some((one) => one.id === id))
  const missed = pending.filter((id) => id < last)
  return missed.length === 0
    ? Effect.succeed(pending)
    : badState(
      `An unfinished version of Troupe has migrated this database: it lacks ${plural(missed.length, "migration")} `
        + `(${
          missed.join(", ")
        }), and later ones were applied. Restore a backup made before, or start with an empty database.`
    )
}

export interface Script {
  readonly id: number
  readonly name: string
  readonly statements: string
}

/** All migrations of this version with their statements. */
export const scripts: Effect.Effect<
  ReadonlyArray<Script>,
  Migrator.MigrationError,
  FileSystem.FileSystem | Path.Path
> = Effect.suspend(() =>
  Effect.flatMap(
    filesIn(ownFolder),
    Effect.forEach(({ id, name, read }) => Effect.map(read, (statements) => ({ id, name, statements })))
  )
)

const unreadable = (cause: unknown) =>
  new Migrator.MigrationError({ reason: "import-error", message: `The migrations can't be read`, cause })

/** The files of the migrations, by number. */
const filesIn = (folder: URL) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* path.fromFileUrl(folder)
    const names = yield* files.readDirectory(directory)
    return names.flatMap((file) => {
      const match = /^(\d{4})_(\w+)\.sql$/.exec(file)
      if (match === null) return []
      const read = Effect.mapError(files.readFileString(path.join(directory, file)), unreadable)
      return [{ id: Number(match[1]), name: match[2] ?? file, file, read }]
    }).sort((a, b) => a.id - b.id)
  }).pipe(Effect.mapError(unreadable))

const loader = (folder: URL): Migrator.Loader<FileSystem.FileSystem | Path.Path> =>
  Effect.map(filesIn(folder), (files) =>
    files.map(({ file, id, name, read }): Migrator.ResolvedMigration => [
      id,
      name,
      Effect.succeed(Effect.gen(function*() {
        const sql = yield* SqlClient
        const statements = yield* read
        yield* Effect.logDebug(`Migration ${file} started`)
        const [time] = yield* Effect.timed(sql.unsafe(statements))
        yield* Effect.logDebug(
          `Migration ${file} finished in ${Duration.format(Duration.millis(Math.round(Duration.toMillis(time))))}`
        )
      }))
    ]))
