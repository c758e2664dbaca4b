import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { plural } from "@troupe/domain/Text"
import { Duration, Effect, Layer } from "effect"
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

export const layer: Layer.Layer<never, Failure, Needs> = Layer.effectDiscard(migrate())

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
    const done = yield* applied
    const names = new Map(files.map(([id, name]) => [id, name]))
    yield* checkReleased(names, done)
    const pending = yield* pendingOf([...names.keys()], done.map(({ id }) => id))
    if (pending > 0) yield* Effect.logInfo(`Applying ${plural(pending, "migration")} ...`)
    return yield* Migrator.make({})({ loader: Effect.succeed(files), table: "troupe_migrations" })
  })

interface Applied {
  readonly id: number
  readonly name: string
}

const applied: Effect.Effect<ReadonlyArray<Applied>, SqlError, SqlClient> = Effect.flatMap(
  SqlClient,
  (sql) => sql<Applied>`select migration_id as id, name from troupe_migrations order by migration_id`
)

/** Before the first release, the numbers began anew with migrations of other names. */
export const isUnreleased = (names: ReadonlyMap<number, string>, done: ReadonlyArray<Applied>): boolean =>
  done.some(({ id, name }) => names.has(id) && names.get(id) !== name)

export const unreleased = "An unreleased version of Troupe made this database, and its data can't be upgraded."

export const beginAnew =
  "Let DATABASE_URL name an empty database or, without it, move the folder DATA_DIR away, then start again."

const checkReleased = (names: ReadonlyMap<number, string>, done: ReadonlyArray<Applied>) =>
  isUnreleased(names, done) ? badState(`${unreleased} ${beginAnew}`) : Effect.void

const badState = (message: string) => new Migrator.MigrationError({ reason: "bad-state", message })

/**
 * How many are to be applied. An older version on a newer database would misread its rows; a migration with a lower number
 * than the last applied one is left out by the migrator without a word.
 */
const pendingOf = (ids: ReadonlyArray<number>, done: ReadonlyArray<number>) => {
  if (done.includes(unfinishedRestore)) return badState(`${restoreUnfinished} Run troupe restore again.`)
  const newest = Math.max(0, ...ids)
  const newer = done.filter((id) => id > newest)
  if (newer.length > 0) {
    return badState(
      `A newer version of Troupe has migrated this database (${plural(newer.length, "migration")} that this `
        + `version does not know, the last is ${
          newer.at(-1)
        }). Start that version, or restore a backup made before the upgrade.`
    )
  }
  const last = Math.max(0, ...done)
  const pending = ids.filter((id) => !done.includes(id))
  const missed = pending.filter((id) => id < last)
  return missed.length === 0
    ? Effect.succeed(pending.length)
    : badState(
      `An unfinished version of Troupe has migrated this database: it lacks ${plural(missed.length, "migration")} `
        + `(${
          missed.join(", ")
        }), and later ones were applied. Restore a backup made before, or start with an empty database.`
    )
}

interface Script {
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
