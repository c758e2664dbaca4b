import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { backup } from "../../src/Backup/Backup.ts"
import { checkPlaces } from "../../src/Backup/Places.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { givenAlice } from "../People/alice.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { at, contentsOf, filesIn, foldersIn, givenArchive, givenFiles, large, restoreTo } from "./backups.ts"

inWorld("A backup", (test) => {
  test("brings back every row and every file in another database and folder", function*() {
    yield* givenAlice
    const { file, folders, report } = yield* givenArchive
    const source = yield* DatabaseUrl
    const [target, folder] = [yield* emptyDatabase, yield* freshFolder]
    const before = yield* contentsOf(source)

    const restored = yield* restoreTo(target, folder, file)

    assert.isNotEmpty(before["sessions"])
    // Whoever signed out since the backup stays signed out.
    assert.deepStrictEqual(yield* contentsOf(target), { ...before, sessions: [] })
    assert.deepStrictEqual([restored.files, restored.rows], [5, report.rows])
    assert.deepStrictEqual(report.left_out, ["files/alice/link"])
    const { files, skills } = foldersIn(folder)
    const expected = (yield* filesIn(folders.files)).filter((name) => !/link|uploads/.test(name))
    assert.deepStrictEqual(yield* filesIn(files), expected)
    yield* Effect.promise(async () => {
      assert.strictEqual(await readFile(join(files, "alice", "odd name ü \n.md"), "utf8"), "Hello")
      assert.isTrue(large.equals(await readFile(join(files, "alice", "deep", "er", `${"n".repeat(200)}.bin`))))
      assert.strictEqual((await stat(join(skills, "report", "run.sh"))).mode & 0o777, 0o755)
      assert.strictEqual((await stat(file)).mode & 0o777, 0o600, "others can't read the archive")
    })
    const [next] = yield* query<{ isNext: boolean }>(
      target,
      `insert into inbound_messages (id, source, type, headers, url) values (gen_random_uuid(), 'webhook', 'x', '{}', '')
       returning position > (select max(position) from inbound_messages) as "isNext"`
    )
    assert.isTrue(next?.isNext, "numbers continue")
    const numbered = `select 'task' as of from tasks where xact_id is not null
      union all select 'step' from steps where xact_id is not null
      union all select 'mark' from remembered_tasks where xact_id is not null`
    assert.isNotEmpty(yield* query(source, numbered))
    assert.isEmpty(
      yield* query(target, numbered),
      "a number of a transaction means nothing there, so no row is written again"
    )
    yield* Migrations.migrate().pipe(Effect.provide(at(target)))
  })

  test("without folders brings back the database only, and leaves the files as they are", function*() {
    yield* givenAlice
    const source = yield* DatabaseUrl
    const before = yield* contentsOf(source)
    const file = join(yield* freshFolder, "database.tar.gz")
    yield* backup({ file, folders: {}, version: "0.1.3" })
    const { files } = yield* givenFiles
    const left = yield* filesIn(files)
    const target = yield* emptyDatabase
    yield* restoreTo(target, join(files, ".."), file, true)
    assert.deepStrictEqual(yield* contentsOf(target), { ...before, sessions: [] })
    assert.deepStrictEqual(yield* filesIn(files), left)
  })

  test("is left out of itself, and no folder contains another", function*() {
    const folder = yield* freshFolder
    const folders = foldersIn(folder)
    const message = (file: string, given = folders, database = join(folder, "postgres")) =>
      Effect.map(
        Effect.either(checkPlaces(file, given, database)),
        (result) => "left" in result ? result.left.message : ""
      )
    assert.strictEqual(yield* message(join(folder, "troupe.tar.gz")), "")
    assert.match(yield* message(join(folders.files, "troupe.tar.gz")), /lies in a folder that belongs to the backup/)
    assert.match(yield* message("/tmp/troupe.tar.gz", { ...folders, files: folder }), /Give each its own place/)
    assert.match(yield* message("/tmp/troupe.tar.gz", { ...folders, files: folders.skills }), /Give each its own place/)
  })

  test("that can't be written leaves no file, and never replaces one", function*() {
    const folders = foldersIn(yield* freshFolder)
    const folder = yield* freshFolder
    const file = join(folder, "troupe.tar.gz")
    yield* Effect.promise(() => writeFile(file, "mine"))
    const taken = yield* Effect.flip(backup({ file, folders, version: "1" }))
    assert.match(taken.message, /exists already/)
    const full = yield* Effect.flip(backup({ file: "/dev/full/x", folders, version: "1" }))
    assert.match(full.message, /Writing \/dev\/full\/x failed: /)
    assert.deepStrictEqual(yield* filesIn(folder), ["troupe.tar.gz"])
    assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "mine")
  })
})
