import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, type Redacted } from "effect"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DatabaseUrl } from "../../src/Runtime/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Migrations.ts"
import * as Sql from "../../src/Runtime/Sql.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/PostgresFolder.ts"

/** What one process does at its start, with connections of its own. */
const migrate = (url: Redacted.Redacted, folder?: URL) =>
  Effect.provide(
    Migrations.migrate(folder),
    Sql.layer({ maxConnections: 1 }).pipe(
      Layer.provide(Layer.succeed(DatabaseUrl, url)),
      Layer.merge(NodeContext.layer)
    )
  )

const emptyDatabase = Effect.tap(
  freshDatabase,
  (url) => Effect.zipRight(query(url, "drop schema public cascade"), query(url, "create schema public"))
)

const write = (folder: string, name: string, text: string) => Effect.promise(() => writeFile(join(folder, name), text))

const done = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ migration_id: number; name: string }>(url, "select * from troupe_migrations order by migration_id"),
    (rows) => rows.map(({ migration_id, name }) => `${String(migration_id).padStart(4, "0")}_${name}.sql`)
  )

const tables = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ tablename: string }>(url, "select tablename from pg_tables where schemaname = 'public' order by 1"),
    (rows) => rows.map(({ tablename }) => tablename)
  )

describe("Migrations", () => {
  it.scopedLive("runs every migration once when four processes start together on an empty database", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      yield* Effect.all(Array.from({ length: 4 }, () => migrate(url)), { concurrency: 4, discard: true })
      const files = yield* Effect.promise(() => readdir(new URL("../../migrations/", import.meta.url)))
      assert.deepStrictEqual(yield* done(url), files.filter((name) => name.endsWith(".sql")).sort())
    }))

  it.scopedLive("runs only what is new, in the order of the numbers, and leaves other files alone", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const folder = yield* freshFolder
      const where = pathToFileURL(`${folder}/`)
      yield* write(folder, "0002_fill_plays.sql", "insert into plays values ('Hamlet')")
      yield* write(folder, "0001_create_plays.sql", "create table plays (title text); create index on plays (title)")
      yield* write(folder, "README.md", "not SQL")
      yield* migrate(url, where)
      yield* write(folder, "0003_fill_more_plays.sql", "insert into plays values ('Macbeth')")
      yield* migrate(url, where)
      yield* migrate(url, where)
      const plays = yield* query(url, "select title from plays order by 1")
      assert.deepStrictEqual(plays, [{ title: "Hamlet" }, { title: "Macbeth" }])
    }))

  it.scopedLive("leaves nothing of a start in which one migration fails, and names that one", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const folder = yield* freshFolder
      const where = pathToFileURL(`${folder}/`)
      yield* write(folder, "0001_create_plays.sql", "create table plays (title text)")
      yield* write(folder, "0002_fill_plays.sql", "insert into players values ('Hamlet')")
      const cause = yield* Effect.flip(Effect.sandbox(migrate(url, where)))
      assert.include(Cause.pretty(cause), "2_fill_plays")
      assert.deepStrictEqual(yield* tables(url), [])

      yield* write(folder, "0002_fill_plays.sql", "insert into plays values ('Hamlet')")
      yield* migrate(url, where)
      assert.deepStrictEqual(yield* tables(url), ["plays", "troupe_migrations"])
    }))
})
