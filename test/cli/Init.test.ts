import * as FileSystem from "@effect/platform/FileSystem"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { readDotEnv } from "../../src/Runtime/Settings/DotEnv.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { troupeHere } from "../support/CommandLine.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const troupe = troupeHere(1)

const folders = [
  "/srv/troupe",
  "/srv/my data #1",
  "/srv/$HOME/x",
  "/srv/it's",
  "C:\\new\\troupe",
  "/srv/\"quoted\"/\u00fc"
]

/** The settings of a `.env` as the service reads them. */
const settingsIn = (file: string) =>
  Effect.gen(function*() {
    const content = yield* Effect.promise(() => readFile(file))
    const { provider, unread } = yield* readDotEnv(FileSystem.makeNoop({ readFile: () => Effect.succeed(content) }))
    assert.deepStrictEqual(unread, [])
    const noFile = FileSystem.layerNoop({ exists: () => Effect.succeed(false) })
    return yield* Effect.withConfigProvider(Effect.provide(Settings, Layer.provide(Settings.layer, noFile)), provider)
  })

it.scopedLive("Without a terminal, the defaults are written, readable by the owner only", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const { code, stderr, stdout } = yield* troupe(["init", "--service", folder])
    assert.deepStrictEqual([code, stdout], [0, ""])
    assert.include(stderr, `The data goes to ${join(folder, ".data")}.`)
    const { database, http } = yield* settingsIn(join(folder, ".env"))
    assert.deepStrictEqual([database.dataDir, http.port, Option.isNone(database.url)], [
      join(folder, ".data"),
      8000,
      true
    ])
    assert.strictEqual((yield* Effect.promise(() => stat(join(folder, ".env")))).mode & 0o777, 0o600)
  }))

it.scopedLive("What is given is what the service reads, whatever characters it has, and a given database gets a key", () =>
  Effect.gen(function*() {
    for (const dataDir of folders) {
      const folder = yield* freshFolder
      const url = "postgresql://troupe:a%23$b@db.example.org:5432/troupe?sslmode=require"
      const words = ["init", "--service", folder, "--data-dir", dataDir, "--port", "8010", "--database-url", url]
      assert.strictEqual((yield* troupe(words)).code, 0)
      const { database, http, toolServers } = yield* settingsIn(join(folder, ".env"))
      assert.deepStrictEqual([database.dataDir, http.port], [resolve(folder, dataDir), 8010])
      assert.strictEqual(Option.getOrThrow(Option.map(database.url, Redacted.value)), url)
      assert.match(Option.getOrThrow(Option.map(toolServers.secretsKey, Redacted.value)), /^[\da-f]{64}$/)
    }
  }))

it.scopedLive("A file that is there is kept", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    yield* Effect.promise(() => writeFile(join(folder, ".env"), "PORT=9\n"))
    const { code, stderr } = yield* troupe(["init", "--service", folder, "--port", "8010"])
    assert.strictEqual(code, 4)
    assert.include(stderr, "exists already, and is kept")
    assert.strictEqual(yield* Effect.promise(() => readFile(join(folder, ".env"), "utf8")), "PORT=9\n")
  }))

it.scopedLive("What can't be a port, a database or a folder is refused, and nothing is written", () =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const refused = [["--port", "0"], ["--port", "x"], ["--database-url", "mysql://a/b"], ["--database-url", "troupe"]]
    for (const words of refused) {
      assert.strictEqual((yield* troupe(["init", "--service", folder, ...words])).code, 2, words.join(" "))
    }
    assert.strictEqual((yield* troupe(["init", "--service", join(folder, "absent")])).code, 2)
    assert.isTrue(yield* Effect.promise(() => stat(join(folder, ".env")).then(() => false, () => true)))
  }))
