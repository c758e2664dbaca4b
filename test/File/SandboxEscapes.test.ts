import { assert, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, FastCheck as fc } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { DirectoryOpener } from "../../src/File/OpenDirectory.ts"
import type { Sandbox } from "../../src/File/Sandbox.ts"
import { alice, eachWay, inSandbox, type Place, secret } from "./place.ts"

eachWay("Nothing leads out of a sandbox", (test, openDirectory) => {
  const escapes: ReadonlyArray<readonly [string, string, (place: Place) => void]> = [
    ["a path that climbs", "../outside/secret.txt", nothing],
    ["a path that climbs from a folder", "a/../../outside/secret.txt", nothing],
    ["another user's folder", "../bob/secret.txt", nothing],
    ["a path with backslashes", "..\\outside\\secret.txt", nothing],
    ["a drive", "C:/secret.txt", nothing],
    ["a path with NUL", "a.txt\0/../../outside/secret.txt", nothing],
    ["a link to a file outside", "link.txt", (p) => fs.symlinkSync(join(p.outside, "secret.txt"), p.at("link.txt"))],
    ["a relative link outside", "link.txt", (p) => fs.symlinkSync("../../outside/secret.txt", p.at("link.txt"))],
    ["a link to a folder outside", "link/secret.txt", (p) => fs.symlinkSync(p.outside, p.at("link"))],
    ["a link to the users' folder", "link/bob/secret.txt", (p) => fs.symlinkSync("..", p.at("link"))],
    ["a chain of links", "one/secret.txt", (p) => {
      fs.symlinkSync("two", p.at("one"))
      fs.symlinkSync(p.outside, p.at("two"))
    }],
    ["a link to itself", "loop", (p) => fs.symlinkSync("loop", p.at("loop"))],
    ["a dangling link outside", "new.txt", (p) => fs.symlinkSync(join(p.outside, "new.txt"), p.at("new.txt"))],
    ["a dangling link as folder", "dir/new.txt", (p) => fs.symlinkSync(join(p.outside, "new"), p.at("dir"))],
    ["a hard link", "hard.txt", (p) => fs.linkSync(join(p.outside, "secret.txt"), p.at("hard.txt"))],
    ["a pipe", "pipe", (p) => execFileSync("mkfifo", [p.at("pipe")])],
    ["a device behind a link", "null", (p) => fs.symlinkSync("/dev/null", p.at("null"))]
  ]

  for (const [what, path, prepare] of escapes) {
    test(`neither reads nor writes through ${what}`, function*(p) {
      prepare(p)
      for (const attempted of attempts(path)) {
        const refused = yield* Effect.flip(attempted(p.sandbox))
        assert.strictEqual(refused._tag, "SandboxRefused")
        assert.strictEqual(refused.path, path)
        assert.notInclude(refused.message, p.base, "the message must not name places outside")
      }
      assert.deepStrictEqual(p.temporaries(), [])
    })
  }

  test("refuses absolute paths", function*({ outside, sandbox }) {
    const refused = yield* Effect.flip(sandbox.read(alice, join(outside, "secret.txt")))
    assert.include(refused.reason, "relative")
    yield* Effect.flip(sandbox.write(alice, join(outside, "new.txt"), "x"))
    yield* Effect.flip(sandbox.list(alice, outside))
  })

  test("refuses a socket", function*(p) {
    yield* listening(p.at("socket"))
    yield* Effect.flip(p.sandbox.read(alice, "socket"))
    yield* Effect.flip(p.sandbox.write(alice, "socket", "x", { append: true }))
    assert.strictEqual((yield* Effect.flip(p.sandbox.write(alice, "socket", "x"))).kind, "unsafe")
  })

  test("refuses the folder of a user that is itself a link", function*(p) {
    fs.symlinkSync(p.outside, join(p.root, "carol"))
    const carol = UserId.make("carol")
    assert.strictEqual((yield* Effect.flip(p.sandbox.read(carol, "secret.txt"))).kind, "unsafe")
    assert.strictEqual((yield* Effect.flip(p.sandbox.write(carol, "new.txt", "x"))).kind, "unsafe")
    assert.strictEqual((yield* Effect.flip(p.sandbox.list(carol, "."))).kind, "unsafe")
  })

  test("refuses names that are too long, reserved, or hold control characters", function*({ sandbox }) {
    const paths = ["x".repeat(256), "x/".repeat(40) + "y", "CON", "a/nul.txt", "a\nb", "dot.", "y".repeat(5_000)]
    for (const path of paths) {
      assert.strictEqual((yield* Effect.flip(sandbox.write(alice, path, "x"))).kind, "name", path.slice(0, 20))
    }
  })

  test("reads and writes through links that stay inside", function*(p) {
    yield* p.sandbox.write(alice, "real/note.txt", "one")
    fs.symlinkSync("real", p.at("alias"))
    assert.strictEqual((yield* p.sandbox.read(alice, "alias/note.txt")).text, "one")
    const written = yield* p.sandbox.write(alice, "alias/note.txt", "two")
    assert.strictEqual(written.path, "real/note.txt")
    assert.strictEqual(fs.readFileSync(p.at("real/note.txt"), "utf8"), "two")
  })

  test("refuses a folder that becomes a link between being found and being opened", function*(p) {
    fs.mkdirSync(p.at("dir"))
    const kind = (yield* Effect.flip(p.sandbox.write(alice, "dir/secret.txt", "x"))).kind
    assert.strictEqual(kind, "unsafe")
  }, { openDirectory: swapping(openDirectory, "before") })

  it.effect("reaches nothing outside when an opened folder is swapped for a link", () =>
    Effect.forEach(
      attempts("dir/secret.txt"),
      (attempted) =>
        inSandbox({ openDirectory: swapping(openDirectory, "after") }, (p) =>
          Effect.gen(function*() {
            fs.mkdirSync(p.at("dir"))
            fs.writeFileSync(p.at("dir/secret.txt"), "mine")
            const result = yield* Effect.either(attempted(p.sandbox))
            assert.notInclude(JSON.stringify(result), secret)
          }))
    ))

  it.effect("refuses a file that becomes a link after its folder was opened", () =>
    Effect.forEach(attempts("note.txt"), (attempted) =>
      inSandbox({
        openDirectory: (location, path) =>
          Effect.tap(openDirectory(location, path), () =>
            Effect.sync(() => {
              fs.rmSync(join(location, "note.txt"))
              fs.symlinkSync("../../outside/secret.txt", join(location, "note.txt"))
            }))
      }, (p) =>
        Effect.gen(function*() {
          fs.writeFileSync(p.at("note.txt"), "mine")
          assert.strictEqual((yield* Effect.flip(attempted(p.sandbox))).kind, "unsafe")
        }))))

  it.effect(
    "no path whatever reaches anything outside",
    () =>
      inSandbox({ openDirectory }, (p) =>
        Effect.gen(function*() {
          fs.symlinkSync(p.outside, p.at("link"))
          fs.symlinkSync("..", p.at("up"))
          fs.mkdirSync(p.at("dir"))
          const paths = fc.oneof(
            fc.array(fc.constantFrom(...pieces, p.base, p.outside), { maxLength: 9 }).map((parts) => parts.join("")),
            fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join("/")),
            fc.fullUnicodeString({ maxLength: 30 })
          )
          for (const path of fc.sample(paths, 150)) {
            yield* Effect.either(p.sandbox.write(alice, path, "x"))
            yield* Effect.either(p.sandbox.write(alice, path, "x", { append: true }))
            const read = yield* Effect.either(p.sandbox.read(alice, path))
            const listed = yield* Effect.either(p.sandbox.list(alice, path))
            const text = JSON.stringify([read, listed])
            assert.notInclude(text, secret)
            assert.notInclude(text, "secret.txt (")
            if (listed._tag === "Right") {
              // The paths make files of that name too, but shorter ones.
              const secrets = listed.right.entries.filter(({ name, size }) => name === "secret.txt" && size > 2)
              assert.deepStrictEqual(secrets, [], JSON.stringify(path))
            }
          }
          assert.deepStrictEqual(p.temporaries(), [])
        })),
    60_000
  )
})

const pieces = [
  "..",
  ".",
  "/",
  "//",
  "dir",
  "link",
  "up",
  "bob",
  "outside",
  "secret.txt",
  "\\",
  "\0",
  " ",
  "é",
  "~",
  "%2e%2e"
]

const nothing = () => {}

const attempts = (path: string) => [
  (sandbox: Sandbox["Type"]) => Effect.map(sandbox.read(alice, path), ({ text }) => text),
  (sandbox: Sandbox["Type"]) => Effect.map(sandbox.readBytes(alice, path), (bytes) => Buffer.from(bytes).toString()),
  (sandbox: Sandbox["Type"]) => Effect.as(sandbox.write(alice, path, "x"), ""),
  (sandbox: Sandbox["Type"]) => Effect.as(sandbox.write(alice, path, "x", { append: true }), "")
]

/** Exchanges the folder `dir` for a link to the outside, before or after it is opened. */
const swapping = (openDirectory: DirectoryOpener, when: "before" | "after"): DirectoryOpener => (location, path) => {
  if (!location.endsWith("/dir")) return openDirectory(location, path)
  const swap = Effect.sync(() => {
    const real = fs.realpathSync(location)
    fs.renameSync(real, `${real}-moved`)
    fs.symlinkSync("../../outside", real)
  })
  return when === "before"
    ? Effect.zipRight(swap, openDirectory(location, path))
    : Effect.zipLeft(openDirectory(location, path), swap)
}

const listening = (path: string) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer()
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )
