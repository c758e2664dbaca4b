import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createArchive } from "../../src/Backup/Archive.ts"
import { backup } from "../../src/Backup/Backup.ts"
import { openSession } from "../../src/Runtime/Database/Connections.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { givenAlice } from "../People/alice.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { at, contentsOf, filesIn, foldersIn, givenArchive, restoreTo, tablesOf } from "./backups.ts"

inWorld("A backup", (test) => {
  test("is refused where it would lose or mix data, and nothing has changed", function*() {
    yield* givenAlice
    const { file } = yield* givenArchive
    const [target, folder] = [yield* emptyDatabase, yield* freshFolder]
    const refusal = (of: string, into = folder, database = target) =>
      Effect.map(Effect.flip(restoreTo(database, into, of)), ({ message }) => message)

    const whole = yield* Effect.promise(() => readFile(file))
    const other = join(yield* freshFolder, "other.tar.gz")
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 0x10, whole.length >> 1)
    for (const bytes of [flipped, whole.subarray(0, -9), whole.subarray(0, whole.length >> 1), Buffer.from("text")]) {
      yield* Effect.promise(() => writeFile(other, bytes))
      assert.match(yield* refusal(other), /is damaged, or no archive of troupe backup: .+ Nothing was changed/)
    }
    const written = (name: string, manifest: object) =>
      Effect.scoped(Effect.gen(function*() {
        const archive = yield* createArchive(name)
        yield* archive.add({ name: "manifest.json" }, JSON.stringify(manifest))
        yield* archive.finish
        return name
      }))
    const manifest = { format: 1, version: "9.9.9", created_at: "", migrations: [], tables: [], sequences: [] }
    const named = join(yield* freshFolder, "a.tar.gz")
    assert.match(yield* refusal(yield* written(`${named}1`, manifest)), /is damaged.+not complete/)
    assert.match(
      yield* refusal(yield* written(`${named}2`, { format: 2, version: "9.9.9" })),
      /newer version .*9\.9\.9/
    )
    const later = { ...manifest, migrations: [{ id: 9998, name: "later" }] }
    assert.match(yield* refusal(yield* written(`${named}3`, later)), /newer version .*9\.9\.9/)
    const renamed = { ...manifest, migrations: [{ id: 1, name: "create_something_else" }] }
    assert.match(yield* refusal(yield* written(`${named}4`, renamed)), /unreleased version .*9\.9\.9/)
    assert.match(yield* refusal(join(folder, "absent")), /ENOENT/)

    const occupied = yield* freshFolder
    yield* Effect.promise(() => mkdir(join(occupied, "files", "bob"), { recursive: true }))
    assert.match(yield* refusal(file, occupied), /has data already/)
    const service = yield* Effect.scoped(Effect.zipRight(
      Effect.provideService(openSession({ applicationName: "troupe-hot" }), DatabaseUrl, target),
      refusal(file)
    ))
    assert.match(service, /service is running/)
    assert.deepStrictEqual([yield* tablesOf(target), yield* filesIn(join(folder, "files"))], [[], []])

    yield* query(target, "create table plays (title text)")
    assert.match(yield* refusal(file), /tables of another program \(plays\)/)
    assert.deepStrictEqual(yield* tablesOf(target), ["plays"])
  })

  test("replaces all that a service has only when told to, and takes what it had if the archive is damaged", function*() {
    yield* givenAlice
    const { file } = yield* givenArchive
    const source = yield* DatabaseUrl
    const before = yield* contentsOf(source)
    const [target, folder] = [yield* emptyDatabase, yield* freshFolder]
    yield* Migrations.migrate().pipe(Effect.provide(at(target)))
    yield* query(target, "insert into users (id, name) values ('carol', 'Carol')")
    yield* Effect.promise(() => mkdir(join(folder, "files", "carol"), { recursive: true }))
    assert.match((yield* Effect.flip(restoreTo(target, folder, file))).message, /has data already.+--replace/)

    const short = `${file}.short`
    yield* Effect.promise(() => readFile(file).then((bytes) => writeFile(short, bytes)))
    yield* Effect.promise(() => truncate(short, 2_000))
    yield* Effect.flip(restoreTo(target, folder, short, true))
    assert.lengthOf(yield* query(target, "select from users where id = 'carol'"), 1)
    assert.deepStrictEqual(yield* filesIn(join(folder, "files")), ["carol"])

    yield* restoreTo(target, folder, file, true)
    assert.deepStrictEqual(yield* contentsOf(target), { ...before, sessions: [] })
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(join(folder, "files"))), ["alice", "empty"])
  })

  test("that was interrupted after the database keeps the service from starting until it is repeated", function*() {
    const { file } = yield* givenArchive
    const [target, folder] = [yield* emptyDatabase, yield* freshFolder]
    yield* restoreTo(target, folder, file)
    yield* query(
      target,
      `insert into troupe_migrations (migration_id, name) values (${Migrations.unfinishedRestore}, '')`
    )
    const start = Migrations.migrate().pipe(Effect.provide(at(target)))
    assert.match((yield* Effect.flip(start)).message, /A restore was interrupted .+ Run troupe restore again/)
    const again = backup({ file: `${file}.2`, folders: foldersIn(folder), version: "1" })
    assert.match((yield* Effect.flip(Effect.provide(again, at(target)))).message, /interrupted .+ before a backup/)
    yield* restoreTo(target, folder, file)
    yield* start
  })
})
