import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { shown } from "@troupe/cli/UpgradeCommand"
import { version } from "@troupe/domain/Version"
import { ConfigProvider, Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { copyFile, readdir, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { backupFirst, dropBackup, planUpgrade, purposeOf } from "../../src/apps/upgrade.ts"
import { restore } from "../../src/Backup/Restore.ts"
import { placeIn } from "../../src/Backup/UpgradeBackup.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { emptyDatabase, freshDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const quiet = Logger.minimumLogLevel(LogLevel.None)

const at = (url: Redacted.Redacted) => Layer.mergeAll(NodeContext.layer, Layer.succeed(DatabaseUrl, url), quiet)

const migrations = new URL("../../migrations/", import.meta.url)

/** A database that lacks the migrations from this number on. */
const databaseBefore = (first: string) =>
  Effect.gen(function*() {
    const url = yield* emptyDatabase
    const folder = yield* freshFolder
    yield* Effect.promise(async () => {
      for (const name of (await readdir(migrations)).filter((one) => one < first)) {
        await copyFile(new URL(name, migrations), join(folder, name))
      }
    })
    yield* Effect.provide(Migrations.migrate(pathToFileURL(`${folder}/`)), at(url))
    return url
  })

const given = (settings: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)), { pathDelim: "_" }))

const plan = (settings: Readonly<Record<string, string>>) =>
  planUpgrade.pipe(
    Effect.provide(Layer.merge(Layer.provide(Settings.layer, NodeContext.layer), quiet)),
    given(settings)
  )

const columns = (url: Redacted.Redacted) =>
  query(
    url,
    "select attname from pg_attribute where attrelid = 'troupe_migrations'::regclass and attnum > 0 order by 1"
  )

it.scopedLive("A check names what a start would apply, with its purpose, and changes nothing", () =>
  Effect.gen(function*() {
    const url = yield* databaseBefore("0046")
    const before = yield* columns(url)
    const found = yield* plan({ DATABASE_URL: Redacted.value(url) })
    assert.deepStrictEqual([found.version, found.database_version, found.is_new, found.backup], [
      version,
      null,
      false,
      null
    ])
    assert.deepInclude(found.migrations, {
      id: 46,
      name: "record_versions",
      purpose: "The version of Troupe that had this migration when it was applied."
    })
    assert.match(
      shown(found),
      /is of a version before 0\.2\.0\nThe next start applies \d+ migrations?:\n {2}0046 {2}The version/
    )
    assert.deepStrictEqual(yield* columns(url), before)
  }))

it.scopedLive("There is nothing to do for a database of this version, and everything for a new one", () =>
  Effect.gen(function*() {
    const upToDate = yield* plan({ DATABASE_URL: Redacted.value(yield* freshDatabase) })
    assert.deepStrictEqual([upToDate.database_version, upToDate.migrations], [version, []])
    assert.include(shown(upToDate), `is of ${version}\nNothing to do\n`)
    const empty = yield* plan({ DATABASE_URL: Redacted.value(yield* emptyDatabase) })
    assert.include(shown(empty), "The first start creates the tables.")
    const embedded = yield* plan({ DATA_DIR: yield* freshFolder })
    assert.include(shown(embedded), "The first start creates the tables.")
  }))

it.scopedLive("A check names stored settings that this version does not have", () =>
  Effect.gen(function*() {
    const url = yield* freshDatabase
    yield* query(
      url,
      `insert into stored_settings values (true, 1, '{"AGENT_MAX_ITERATION": {"plain": "9"}, "SPECIALIZATION": {"plain": "x"}}')`
    )
    const { warnings } = yield* plan({ DATABASE_URL: Redacted.value(url) })
    assert.deepStrictEqual(warnings, [
      "AGENT_MAX_ITERATION is stored, and no setting of this version. Did you mean AGENT_HARD_ITERATIONS or AGENT_SOFT_ITERATIONS or AGENT_MAX_ITERATIONS?"
    ])
  }))

it.scopedLive("A check fails where the start would, and says why", () =>
  Effect.gen(function*() {
    const why = (settings: Readonly<Record<string, string>>) =>
      Effect.map(Effect.flip(plan(settings)), ({ message }) => message)
    const url = yield* databaseBefore("0047")
    yield* query(url, "insert into troupe_migrations (migration_id, name) values (9000, 'add_more')")
    assert.include(yield* why({ DATABASE_URL: Redacted.value(url) }), "A newer version of Troupe")
    assert.include(yield* why({ DATABASE_URL: "postgresql://troupe@127.0.0.1:1/troupe" }), "127.0.0.1:1")
    assert.include(yield* why({ PORT: "many" }), "PORT is \"many\"")
  }))

it.scopedLive("An embedded database is saved before it is migrated, until a later start has gone well", () =>
  Effect.gen(function*() {
    const [url, folder] = [yield* databaseBefore("0046"), yield* freshFolder]
    yield* query(url, "insert into users (id, name) values ('ada', 'Ada')")
    const embedded = yield* Effect.provide(Settings, Layer.provide(Settings.layer, NodeContext.layer)).pipe(
      given({ DATA_DIR: folder })
    )
    const isThere = Effect.promise(() => stat(placeIn(folder)).then(() => true, () => false))
    const start = backupFirst(folder).pipe(Effect.zipRight(Migrations.migrate()), Effect.provide(at(url)))
    yield* Effect.promise(() => writeFile(placeIn(folder), "of an earlier upgrade"))
    yield* start
    yield* Effect.provide(dropBackup(embedded), quiet)
    assert.isTrue(yield* isThere, "it is of this start")

    const target = yield* emptyDatabase
    const folders = { agents: folder, files: folder, projects: folder, skills: folder }
    yield* restore({ file: placeIn(folder), folders, replace: true }).pipe(Effect.provide(at(target)))
    assert.deepStrictEqual(yield* query(target, "select name from users"), [{ name: "Ada" }])

    yield* start
    yield* Effect.promise(() => utimes(placeIn(folder), 0, 0))
    yield* Effect.provide(dropBackup(embedded), quiet)
    assert.isFalse(yield* isThere, "this start needed none")
  }))

it("The purpose of a migration is the first sentence of its comment", () => {
  const purpose = (statements: string) => purposeOf({ name: "create_plays", statements })
  assert.strictEqual(
    purpose("-- Who plays, and\n-- what. A second one.\ncreate table plays ()"),
    "Who plays, and what."
  )
  assert.strictEqual(purpose("-- Plays, of 0.2.0 too\ncreate table"), "Plays, of 0.2.0 too")
  assert.strictEqual(purpose("create table plays ()"), "create plays")
})
