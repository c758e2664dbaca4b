import { NodeContext } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createArchive } from "../../src/Backup/ArchiveWriter.ts"
import { backup } from "../../src/Backup/Backup.ts"
import { checkPlaces } from "../../src/Backup/Places.ts"
import { restore } from "../../src/Backup/Restore.ts"
import { openSession } from "../../src/Runtime/Database/Connections.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { givenAlice } from "../People/alice.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { inWorld } from "../support/TaskWorld.ts"

const at = (url: Redacted.Redacted) => Layer.merge(NodeContext.layer, Layer.succeed(DatabaseUrl, url))

const foldersIn = (folder: string) => ({
  agents: join(folder, "agents"),
  files: join(folder, "files"),
  projects: join(folder, "projects"),
  skills: join(folder, "skills")
})

const large = Buffer.alloc(3_000_000, "0123456789\n")

/** Files of each kind that a service may have. */
const givenFiles = Effect.gen(function*() {
  const folders = foldersIn(yield* freshFolder)
  yield* Effect.promise(async () => {
    for (const name of ["files/alice/deep/er", "files/.uploads", "files/empty", "skills/report", "agents"]) {
      await mkdir(join(folders.files, "..", name), { recursive: true })
    }
    await writeFile(join(folders.files, "alice", "odd name ü \n.md"), "Hello")
    await writeFile(join(folders.files, "alice", "deep", "er", `${"n".repeat(200)}.bin`), large)
    await writeFile(join(folders.files, "alice", "nothing"), "")
    await writeFile(join(folders.files, ".uploads", "partial"), "x")
    await symlink("/etc/passwd", join(folders.files, "alice", "link"))
    await writeFile(join(folders.agents, "sales.md"), "---\ndescription: Sells.\n---\n")
    await writeFile(join(folders.skills, "report", "run.sh"), "#!/bin/sh\n")
    await chmod(join(folders.skills, "report", "run.sh"), 0o755)
  })
  return folders
})

/** A backup of the world's database and some files. */
const givenArchive = Effect.gen(function*() {
  const folders = yield* givenFiles
  const file = join(yield* freshFolder, "troupe.tar.gz")
  const report = yield* backup({ file, folders, version: "0.1.3" })
  return { file, folders, report }
})

const restoreTo = (url: Redacted.Redacted, folder: string, file: string, replace = false) =>
  restore({ file, folders: foldersIn(folder), replace }).pipe(Effect.provide(at(url)))

const tablesOf = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relpersistence = 'p' and relname not in ('cluster_locks', 'cluster_runners', 'scheduled_jobs') order by 1`
    ),
    (rows) => rows.map(({ name }) => name)
  )

/** Everything that is stored; only the numbers of transactions and the times of the migrations differ. */
const contentsOf = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const tables = yield* tablesOf(url)
    const rows = yield* Effect.forEach(tables, (table) =>
      query(
        url,
        table === "troupe_migrations"
          ? `select migration_id, name from ${table} order by 1`
          : `select to_jsonb(t) - 'xact_id' as row from ${table} t order by t::text`
      ))
    return Object.fromEntries(tables.map((table, index) => [table, rows[index]]))
  })

const filesIn = (folder: string) =>
  Effect.promise(() => readdir(folder, { recursive: true }).then((names) => names.sort(), () => []))

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
