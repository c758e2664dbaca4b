import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"

/** The project's migrations: beside `src/` and, once built, beside `dist/`. */
const ownFolder = new URL("../../migrations/", import.meta.url)

/** The same for all processes: `select hashtext('troupe migrations')`. */
const lock = 1_803_226_051

/**
 * Brings the database's tables up to date: `NNNN_verb_noun.sql` in the order of the numbers, each once and only
 * forward. Processes that start together wait for each other.
 */
export const migrate = (
  folder: URL = ownFolder
): Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`select pg_advisory_xact_lock(${lock})`
      // The migrator detects its table by a statement that fails without it, which would abort the transaction.
      yield* sql`create table if not exists troupe_migrations (
        migration_id integer primary key,
        created_at timestamptz not null default now(),
        name text not null
      )`
      const done = yield* Migrator.make({})({ loader: loader(folder), table: "troupe_migrations" })
      if (done.length > 0) yield* Effect.logInfo(`Migrated the database: ${done.map(([, name]) => name).join(", ")}`)
    }))
  })

export const layer: Layer.Layer<
  never,
  Migrator.MigrationError | SqlError,
  SqlClient | FileSystem.FileSystem | Path.Path
> = Layer.effectDiscard(migrate())

const loader = (folder: URL): Migrator.Loader<FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* path.fromFileUrl(folder)
    const names = yield* files.readDirectory(directory)
    return names.flatMap((name): ReadonlyArray<Migrator.ResolvedMigration> => {
      const match = /^(\d{4})_(\w+)\.sql$/.exec(name)
      if (match === null) return []
      const run = Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql.unsafe(yield* files.readFileString(path.join(directory, name)))
      })
      return [[Number(match[1]), match[2] ?? name, Effect.succeed(run)]]
    }).sort(([a], [b]) => a - b)
  }).pipe(
    Effect.mapError((cause) =>
      new Migrator.MigrationError({ reason: "import-error", message: `The migrations can't be read`, cause })
    )
  )
