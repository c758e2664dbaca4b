import { assert, describe, it } from "@effect/vitest"
import * as Binaries from "@troupe/embedded-postgres/Binaries"
import * as Cluster from "@troupe/embedded-postgres/Cluster"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Array, Effect, Either, Option, Redacted } from "effect"
import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { Client } from "pg"
import { query } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { folderWithCluster, kill, otherProcess, serverPid, watchdogPid } from "../support/PostgresFolder.ts"

const start = (dataDir: string) => EmbeddedPostgres.start({ dataDir, durable: true })

/** A row that was committed, and whether it still is. */
const keep = (url: Redacted.Redacted) => query(url, "create table kept as select 42 as answer")
const kept = (url: Redacted.Redacted) =>
  Effect.map(query<{ answer: number }>(url, "select answer from kept"), (rows) => rows[0]?.answer)

/** The SQLSTATE or system code that a connection is refused with, or "" where it is not. */
const refusal = (connectionString: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString })
    const code = await client.connect().then(() => "", (cause: { readonly code: string }) => cause.code)
    await client.end()
    return code
  })

describe("EmbeddedPostgres", () => {
  it.scopedLive("serves an empty folder to who has the password, ends with the scope and finds its rows at the next start", () =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      const fsync = (url: Redacted.Redacted) => query<{ fsync: string }>(url, "show fsync")
      const url = yield* Effect.scoped(Effect.gen(function*() {
        const url = yield* start(folder)
        yield* keep(url)
        assert.deepStrictEqual(yield* fsync(url), [{ fsync: "on" }], "what is committed is written to the disk")
        const guess = new URL(Redacted.value(url))
        assert.strictEqual(yield* refusal(guess.href), "")
        guess.password = "guess"
        assert.strictEqual(yield* refusal(guess.href), "28P01")
        const { mode } = yield* Effect.promise(() => stat(join(folder, "cluster", "troupe.password")))
        assert.strictEqual(mode & 0o777, 0o600, "only its owner can read the password")
        return url
      }))
      assert.strictEqual(yield* serverPid(folder), 0)
      assert.strictEqual(yield* refusal(Redacted.value(url)), "ECONNREFUSED")

      const again = yield* EmbeddedPostgres.start({ dataDir: folder, durable: false })
      assert.strictEqual(yield* kept(again), 42)
      assert.deepStrictEqual(yield* fsync(again), [{ fsync: "off" }], "a server for tests writes nothing to the disk")
    }))

  it.scopedLive("adopts the server of a process that was killed together with its watchdog", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      const other = yield* otherProcess(folder)
      yield* keep(other.url)
      const server = yield* serverPid(folder)
      yield* kill(yield* watchdogPid(server))
      yield* other.end("SIGKILL")

      const url = yield* start(folder)
      assert.strictEqual(yield* serverPid(folder), server)
      assert.strictEqual(Redacted.value(url), Redacted.value(other.url))
      assert.strictEqual(yield* kept(url), 42)
    }))

  it.scopedLive("starts at once after a process was killed, whatever its server is about", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      const other = yield* otherProcess(folder)
      yield* keep(other.url)
      yield* other.end("SIGKILL")
      const url = yield* start(folder)
      yield* eventually(refusal(Redacted.value(url)), (code) => code === "")
      assert.strictEqual(yield* kept(url), 42)
    }))

  it.scopedLive("starts a killed server again at the same address, with every committed row", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      const url = yield* start(folder)
      yield* keep(url)
      const killed = yield* serverPid(folder)
      yield* kill(killed)
      yield* eventually(serverPid(folder), (pid) => pid !== killed && pid !== 0)
      yield* eventually(refusal(Redacted.value(url)), (code) => code === "")
      assert.strictEqual(yield* kept(url), 42)
    }))

  it.scopedLive("refuses a folder that another process serves, and stops that server once its process was killed", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      const other = yield* otherProcess(folder)
      const server = yield* serverPid(folder)
      const error = yield* Effect.flip(Effect.scoped(start(folder)))
      assert.strictEqual(error.reason, "in-use")
      assert.include(error.message, "DATA_DIR")

      assert.strictEqual(yield* refusal(Redacted.value(other.url)), "")
      assert.strictEqual(yield* serverPid(folder), server)
      yield* other.end("SIGKILL")
      yield* eventually(serverPid(folder), (pid) => pid === 0)
    }))

  it.scopedLive("gives an empty folder to one of three that start together on it", () =>
    Effect.gen(function*() {
      const folder = yield* freshFolder
      const starts = yield* Effect.all([start(folder), start(folder), start(folder)], {
        concurrency: "unbounded",
        mode: "either"
      })
      const [refused, served] = Array.separate(starts)
      assert.deepStrictEqual(refused.map(({ reason }) => reason), ["in-use", "in-use"])
      assert.strictEqual(served.length, 1)
      const names = yield* Effect.promise(() => readdir(folder))
      assert.deepStrictEqual(names.filter((name) => name.startsWith("cluster")), ["cluster"])
    }))

  it.scopedLive("starts over the pid file of a process that is no PostgreSQL", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithCluster
      yield* Effect.scoped(start(folder))
      const stale = `${process.pid}\n${join(folder, "cluster")}\n0\n5432\n\n127.0.0.1\n0 0\nready   \n`
      yield* Effect.promise(() => writeFile(join(folder, "cluster", "postmaster.pid"), stale))
      assert.strictEqual(yield* refusal(Redacted.value(yield* start(folder))), "")
    }))

  it.scopedLive("says what is wrong with a folder that can't be made", () =>
    Effect.gen(function*() {
      const file = join(yield* freshFolder, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      const error = yield* Effect.flip(Effect.scoped(start(join(file, "postgres"))))
      assert.strictEqual(error.reason, "storage")
    }))

  it.effect("asks for DATABASE_URL where there are no binaries", () =>
    Effect.gen(function*() {
      const unknown = yield* Effect.flip(Binaries.locate("sunos-sparc"))
      assert.strictEqual(unknown.reason, "unsupported-platform")
      assert.include(unknown.message, "DATABASE_URL")

      const missing = yield* Effect.flip(Binaries.locate("linux-x64", () => {
        throw new Error("Cannot find module")
      }))
      assert.strictEqual(missing.reason, "binaries-missing")
      assert.include(missing.message, "DATABASE_URL")
    }))

  it.scopedLive("repairs binaries whose install script did not run", () =>
    Effect.gen(function*() {
      const { copies, native } = yield* unrepaired
      const binaries = yield* Binaries.prepare({ native, account: Option.none(), copies })
      assert.strictEqual(binaries.postgres.startsWith(native), true)
      assert.strictEqual(binaries.hasStatements, true)
      yield* runs(binaries.initdb, copies)
    }))

  it.scopedLive("copies binaries that the account of the server can't reach", () =>
    Effect.gen(function*() {
      const { copies, native } = yield* unrepaired
      yield* Effect.promise(() => chmod(join(native, ".."), 0o700))
      const account = Option.some({ uid: 65_534, gid: 65_534 })
      const binaries = yield* Binaries.prepare({ native, account, copies })
      assert.strictEqual(binaries.postgres.startsWith(copies), true)
      yield* runs(binaries.initdb, copies)
      assert.deepStrictEqual(yield* Binaries.prepare({ native, account, copies }), binaries)
    }))
})

/** The binaries as npm leaves them without scripts: no links, no run bits. */
const unrepaired = Effect.gen(function*() {
  const folder = yield* freshFolder
  const native = join(folder, "package", "native")
  const copies = join(folder, "copies")
  const packaged = yield* Binaries.locate()
  yield* Effect.promise(async () => {
    await mkdir(copies)
    await cp(packaged, native, { recursive: true, verbatimSymlinks: true })
    await cp(join(packaged, "..", "package.json"), join(native, "..", "package.json"))
    for (const entry of await readdir(join(native, "lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(native, "lib", entry.name))
    }
    for (const name of await readdir(join(native, "bin"))) await chmod(join(native, "bin", name), 0o644)
  })
  return { copies, native }
})

const runs = (program: string, cwd: string) =>
  Effect.map(
    Effect.either(Cluster.run(program, ["--version"], { account: Option.none(), cwd })),
    (result) => assert.strictEqual(Either.isRight(result), true)
  )
