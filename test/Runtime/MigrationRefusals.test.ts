import { assert, describe, it } from "@effect/vitest"
import { version } from "@troupe/domain/Version"
import { Effect } from "effect"
import { emptyDatabase, query } from "../support/Database.ts"
import { done, makeFolder, migrate, plays, tables } from "./migrations.ts"

describe("Migrations", () => {
  it.scopedLive("refuses a database that a newer version has migrated, and changes nothing in it", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const newer = yield* makeFolder({ ...plays, "0002_create_players.sql": "create table players (name text)" })
      yield* migrate(url, newer.where)
      const error = yield* Effect.flip(migrate(url, (yield* makeFolder(plays)).where))
      assert.include(error.message, "A newer version of Troupe has migrated this database")
      assert.deepStrictEqual(yield* tables(url), ["players", "plays", "troupe_migrations"])
    }))

  it.scopedLive("names the version that has migrated the database, and refuses the database of another major version", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      yield* migrate(url)
      const written = yield* query<{ version: string }>(url, "select distinct version from troupe_migrations")
      assert.deepStrictEqual(written, [{ version }])
      yield* query(url, "update troupe_migrations set version = '7.1.0' where migration_id = 1")
      yield* migrate(url)
      yield* query(url, "update troupe_migrations set version = '7.1.0'")
      const other = yield* Effect.flip(migrate(url))
      assert.include(
        other.message,
        `Troupe 7.1.0 has migrated this database, and ${version} upgrades databases of version 0 only.`
      )
      yield* query(
        url,
        "insert into troupe_migrations (migration_id, name, version) values (9000, 'add_more', '7.2.0')"
      )
      const newer = yield* Effect.flip(migrate(url))
      assert.include(
        newer.message,
        "A newer version of Troupe (7.2.0) has migrated this database (1 migration that this"
      )
    }))

  it.scopedLive("refuses a database that lacks an earlier migration than the last one, instead of leaving it out", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const { add, where } = yield* makeFolder({
        ...plays,
        "0003_create_players.sql": "create table players (name text)"
      })
      yield* migrate(url, where)
      yield* add({ "0002_create_theatres.sql": "create table theatres (name text)" })
      const error = yield* Effect.flip(migrate(url, where))
      assert.include(error.message, "it lacks 1 migration (2), and later ones were applied")
      assert.deepStrictEqual(yield* done(url), ["0001_create_plays.sql", "0003_create_players.sql"])
    }))

  it.scopedLive("refuses a database of an unreleased version, says how to begin anew, and changes nothing in it", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const { where } = yield* makeFolder({ ...plays, "0110_keep_titles.sql": "create table titles (title text)" })
      yield* migrate(url, where)
      const error = yield* Effect.flip(migrate(url))
      assert.strictEqual(
        error.message,
        "An unreleased version of Troupe made this database, and its data can't be upgraded. Let DATABASE_URL name an empty "
          + "database or, without it, move the folder DATA_DIR away, then start again."
      )
      assert.deepStrictEqual(yield* tables(url), ["plays", "titles", "troupe_migrations"])
    }))
})
