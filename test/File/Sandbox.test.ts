import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, FastCheck as fc, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OpenFolder, openHeld, openNamed } from "../../src/File/Folder.ts"
import { maxEntries, maxReadBytes, maxWriteBytes, Sandbox, type SandboxOptions } from "../../src/File/Sandbox.ts"

const alice = UserId.make("alice")
const bob = UserId.make("bob")
const secret = "the canary sings"
const linux = process.platform === "linux"
const ways: ReadonlyArray<readonly [string, OpenFolder]> = linux
  ? [["held folders", openHeld], ["named folders", openNamed]]
  : [["named folders", openNamed]]

for (const [way, openFolder] of ways) {
  describe(`Sandbox with ${way}`, () => {
    const inSandbox = <A, E>(
      test: (place: Place) => Effect.Effect<A, E, Scope.Scope>,
      options: Partial<SandboxOptions> = {}
    ) =>
      Effect.scoped(
        Effect.flatMap(place({ openFolder, ...options }), (found) =>
          Effect.tap(test(found), () => Effect.sync(found.assertUntouched)))
      )

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
      it.effect(`neither reads nor writes through ${what}`, () =>
        inSandbox((p) =>
          Effect.gen(function*() {
            prepare(p)
            const { sandbox } = p
            for (
              const attempted of [
                sandbox.read(alice, path),
                sandbox.readBytes(alice, path),
                sandbox.write(alice, path, "overwritten"),
                sandbox.write(alice, path, "added", { append: true })
              ]
            ) {
              const refused = yield* Effect.flip(attempted)
              assert.strictEqual(refused._tag, "SandboxRefused")
              assert.strictEqual(refused.path, path)
              assert.notInclude(refused.message, p.base, "the message must not name places outside")
            }
            assert.deepStrictEqual(p.temporaries(), [])
          })
        ))
    }

    it.effect("refuses absolute paths", () =>
      inSandbox(({ outside, sandbox }) =>
        Effect.gen(function*() {
          const refused = yield* Effect.flip(sandbox.read(alice, join(outside, "secret.txt")))
          assert.include(refused.reason, "relative")
          yield* Effect.flip(sandbox.write(alice, join(outside, "new.txt"), "x"))
          yield* Effect.flip(sandbox.list(alice, outside))
        })
      ))

    it.effect("refuses a socket", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          yield* listening(p.at("socket"))
          yield* Effect.flip(p.sandbox.read(alice, "socket"))
          yield* Effect.flip(p.sandbox.write(alice, "socket", "x", { append: true }))
          assert.strictEqual((yield* Effect.flip(p.sandbox.write(alice, "socket", "x"))).kind, "unsafe")
        })
      ))

    it.effect("refuses the folder of a user that is itself a link", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          fs.symlinkSync(p.outside, join(p.root, "carol"))
          const carol = UserId.make("carol")
          assert.strictEqual((yield* Effect.flip(p.sandbox.read(carol, "secret.txt"))).kind, "unsafe")
          assert.strictEqual((yield* Effect.flip(p.sandbox.write(carol, "new.txt", "x"))).kind, "unsafe")
          assert.strictEqual((yield* Effect.flip(p.sandbox.list(carol, "."))).kind, "unsafe")
        })
      ))

    it.effect("refuses names that are too long, reserved, or hold control characters", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          const paths = ["x".repeat(256), "x/".repeat(40) + "y", "CON", "a/nul.txt", "a\nb", "dot.", "y".repeat(5_000)]
          for (const path of paths) {
            assert.strictEqual((yield* Effect.flip(sandbox.write(alice, path, "x"))).kind, "name", path.slice(0, 20))
          }
        })
      ))

    it.effect("reads and writes through links that stay inside", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          yield* p.sandbox.write(alice, "real/note.txt", "one")
          fs.symlinkSync("real", p.at("alias"))
          assert.strictEqual((yield* p.sandbox.read(alice, "alias/note.txt")).text, "one")
          const written = yield* p.sandbox.write(alice, "alias/note.txt", "two")
          assert.strictEqual(written.path, "real/note.txt")
          assert.strictEqual(fs.readFileSync(p.at("real/note.txt"), "utf8"), "two")
        })
      ))

    it.effect("refuses a folder that becomes a link between being found and being opened", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          fs.mkdirSync(p.at("dir"))
          const kind = (yield* Effect.flip(p.sandbox.write(alice, "dir/secret.txt", "x"))).kind
          assert.strictEqual(kind, "unsafe")
        }), { openFolder: swapping(openFolder, "before") }))

    it.effect("reaches nothing outside when an opened folder is swapped for a link", () =>
      Effect.forEach(attempts("dir/secret.txt"), (attempted) =>
        inSandbox((p) =>
          Effect.gen(function*() {
            fs.mkdirSync(p.at("dir"))
            fs.writeFileSync(p.at("dir/secret.txt"), "mine")
            const result = yield* Effect.either(attempted(p.sandbox))
            assert.notInclude(JSON.stringify(result), secret)
          }), { openFolder: swapping(openFolder, "after") })))

    it.effect("refuses a file that becomes a link after its folder was opened", () =>
      Effect.forEach(attempts("note.txt"), (attempted) =>
        inSandbox((p) =>
          Effect.gen(function*() {
            fs.writeFileSync(p.at("note.txt"), "mine")
            assert.strictEqual((yield* Effect.flip(attempted(p.sandbox))).kind, "unsafe")
          }), {
          openFolder: (location, path) =>
            Effect.tap(openFolder(location, path), () =>
              Effect.sync(() => {
                fs.rmSync(join(location, "note.txt"))
                fs.symlinkSync("../../outside/secret.txt", join(location, "note.txt"))
              }))
        })))

    it.effect("no path whatever reaches anything outside", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          fs.symlinkSync(p.outside, p.at("link"))
          fs.symlinkSync("..", p.at("up"))
          fs.mkdirSync(p.at("dir"))
          const paths = fc.oneof(
            fc.array(fc.constantFrom(...pieces, p.base, p.outside), { maxLength: 9 }).map((parts) => parts.join("")),
            fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join("/")),
            fc.string({ unit: "binary", maxLength: 30 })
          )
          for (const path of fc.sample(paths, { numRuns: 150, seed: 7 })) {
            yield* Effect.either(p.sandbox.write(alice, path, "x"))
            yield* Effect.either(p.sandbox.write(alice, path, "x", { append: true }))
            const read = yield* Effect.either(p.sandbox.read(alice, path))
            const listed = yield* Effect.either(p.sandbox.list(alice, path))
            const text = JSON.stringify([read, listed])
            assert.notInclude(text, secret)
            assert.notInclude(text, "secret.txt (")
            if (listed._tag === "Right") {
              assert.notInclude(listed.right.entries.map(({ name }) => name), "secret.txt", JSON.stringify(path))
            }
          }
          assert.deepStrictEqual(p.temporaries(), [])
        })
      ), 60_000)

    it.effect("writes replace whole files, make folders, keep the mode and append", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          const made = yield* p.sandbox.write(alice, "./a//b/note.txt", "long first text")
          assert.deepInclude(made, { path: "a/b/note.txt", name: "note.txt", kind: "file", size: 15 })
          fs.chmodSync(p.at("a/b/note.txt"), 0o600)
          yield* p.sandbox.write(alice, "a/x/../b/note.txt", "short")
          yield* p.sandbox.write(alice, "a/b/note.txt", " and more", { append: true })
          yield* p.sandbox.write(alice, "new.txt", Uint8Array.of(0, 255), { append: true })
          assert.strictEqual(fs.readFileSync(p.at("a/b/note.txt"), "utf8"), "short and more")
          assert.strictEqual(fs.statSync(p.at("a/b/note.txt")).mode & 0o777, 0o600)
          assert.deepStrictEqual([...(yield* p.sandbox.readBytes(alice, "new.txt"))], [0, 255])
          assert.deepStrictEqual(p.temporaries(), [])
        })
      ))

    it.effect("writes at the same time leave one of the texts, never a mixture", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(100_000))
          yield* Effect.forEach(texts, (text) => p.sandbox.write(alice, "deep/in/file.txt", text), {
            concurrency: "unbounded"
          })
          assert.include(texts, fs.readFileSync(p.at("deep/in/file.txt"), "utf8"))
          assert.deepStrictEqual(p.temporaries(), [])
        })
      ))

    it.effect("users don't see each other's files", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          yield* sandbox.write(alice, "mine.txt", "x")
          assert.isFalse(yield* sandbox.exists(bob, "mine.txt"))
          assert.strictEqual((yield* sandbox.read(bob, "secret.txt")).text, secret)
        })
      ))

    it.effect("tells missing files from folders and answers exists for what can be reached", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          const { sandbox } = p
          yield* sandbox.write(alice, "dir/file.txt", "x")
          fs.symlinkSync(p.outside, p.at("link"))
          assert.strictEqual((yield* Effect.flip(sandbox.read(alice, "dir/none.txt"))).kind, "missing")
          assert.include((yield* Effect.flip(sandbox.read(alice, "dir"))).reason, "folder")
          assert.include((yield* Effect.flip(sandbox.write(alice, ".", "x"))).reason, "folder")
          assert.include((yield* Effect.flip(sandbox.write(alice, "dir", "x"))).reason, "folder")
          assert.strictEqual((yield* Effect.flip(sandbox.write(alice, "dir/file.txt/x", "x"))).kind, "unsafe")
          assert.strictEqual((yield* sandbox.stat(alice, ".")).path, ".")
          assert.isTrue(yield* sandbox.exists(alice, "dir/file.txt"))
          for (const path of ["none", "link", "link/secret.txt", "../bob", "\0"]) {
            assert.isFalse(yield* sandbox.exists(alice, path))
          }
        })
      ))

    it.effect("finds a file whose name is stored in decomposed form, and replaces that one", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          fs.mkdirSync(p.at("re\u0301sume\u0301"))
          fs.writeFileSync(p.at("re\u0301sume\u0301/cafe\u0301.txt"), "one")
          assert.strictEqual((yield* p.sandbox.read(alice, "r\u00E9sum\u00E9/caf\u00E9.txt")).text, "one")
          yield* p.sandbox.write(alice, "r\u00E9sum\u00E9/caf\u00E9.txt", "two")
          assert.strictEqual((yield* p.sandbox.list(alice, "r\u00E9sum\u00E9")).entries.length, 1)
          yield* p.sandbox.write(alice, "e\u0301.txt", "x")
          assert.deepInclude(fs.readdirSync(p.home), "\u00E9.txt")
        })
      ))

    it.effect("lists by name, with links as what can't be opened, and without unfinished files", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* p.sandbox.list(alice, "."), { entries: [], more: false })
          yield* p.sandbox.write(alice, "b.txt", "12345")
          yield* p.sandbox.write(alice, "a/x.txt", "")
          fs.symlinkSync(p.outside, p.at("c"))
          fs.writeFileSync(p.at(".troupe-writing-1"), "half")
          const { entries } = yield* p.sandbox.list(alice, ".")
          assert.deepStrictEqual(entries.map(({ kind, name, size }) => [name, kind, size]), [
            ["a", "folder", 0],
            ["b.txt", "file", 5],
            ["c", "other", 0]
          ])
          assert.strictEqual((yield* Effect.flip(p.sandbox.read(alice, ".troupe-writing-1"))).kind, "name")
        })
      ))

    it.effect("lists a bounded part of a huge folder and says that there is more", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          for (let index = 0; index <= maxEntries; index++) fs.writeFileSync(p.at(`f${index}`), "")
          const listing = yield* p.sandbox.list(alice, ".")
          assert.deepStrictEqual([listing.entries.length, listing.more], [maxEntries, true])
        })
      ))

    it.effect("reads a window of lines", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          yield* sandbox.write(alice, "f", "zero\none\r\ntwo\nthree")
          const window = (offset?: number, limit?: number) =>
            Effect.map(
              sandbox.read(alice, "f", { ...(offset === undefined ? {} : { offset }), ...(limit && { limit }) }),
              ({ lines, more, text }) => [text, lines, more]
            )
          assert.deepStrictEqual(yield* window(), ["zero\none\r\ntwo\nthree", 4, false])
          assert.deepStrictEqual(yield* window(1, 2), ["one\r\ntwo\n", 2, true])
          assert.deepStrictEqual(yield* window(3), ["three", 1, false])
          assert.deepStrictEqual(yield* window(3, 1), ["three", 1, false])
          assert.deepStrictEqual(yield* window(4), ["", 0, false])
          assert.deepStrictEqual(yield* window(99, 5), ["", 0, false])
        })
      ))

    it.effect("every window of lines is what splitting the whole text gives", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          const texts = fc.tuple(
            fc.array(fc.tuple(fc.constantFrom("", "é", "long \u{1F600}"), fc.nat(40_000)), { maxLength: 6 }),
            fc.nat(7),
            fc.integer({ min: 1, max: 7 }),
            fc.boolean()
          )
          for (const [parts, offset, limit, ended] of fc.sample(texts, { numRuns: 40, seed: 3 })) {
            const lines = parts.map(([unit, times]) => `${unit.repeat(times)}\n`)
            if (!ended && lines.length > 0) lines.push("unended")
            yield* sandbox.write(alice, "f", lines.join(""))
            const window = yield* sandbox.read(alice, "f", { offset, limit })
            const expected = lines.slice(offset, offset + limit)
            assert.strictEqual(window.text, expected.join(""))
            assert.strictEqual(window.lines, expected.length)
            assert.strictEqual(window.more, offset + limit < lines.length)
          }
        })
      ))

    it.effect("reads bigger files than memory shall hold in pieces, and refuses them whole", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          const file = fs.openSync(p.at("big"), "w")
          fs.writeSync(file, "first\n")
          fs.writeSync(file, "\nlast", maxReadBytes * 20)
          fs.closeSync(file)
          assert.strictEqual((yield* Effect.flip(p.sandbox.readBytes(alice, "big"))).kind, "size")
          assert.strictEqual((yield* p.sandbox.read(alice, "big", { offset: 2 })).text, "last")
          const before = process.memoryUsage().arrayBuffers
          const all = yield* p.sandbox.read(alice, "big", { maxBytes: 100_000 })
          assert.isBelow(process.memoryUsage().arrayBuffers - before, 20_000_000)
          assert.deepInclude(all, { lines: 2, more: true, cut: true })
          assert.strictEqual(all.text.length, 100_000)
        })
      ))

    it.effect("a window that is full ends with a whole character", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          yield* sandbox.write(alice, "f", "é".repeat(10))
          assert.strictEqual((yield* sandbox.read(alice, "f", { maxBytes: 7 })).text, "ééé")
        })
      ))

    it.effect("refuses to write more than a call may", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          const refused = yield* Effect.flip(sandbox.write(alice, "f", new Uint8Array(maxWriteBytes + 1)))
          assert.strictEqual(refused.kind, "size")
          assert.isFalse(yield* sandbox.exists(alice, "f"))
        })
      ))

    it.effect("keeps each user within the quota, counting what a replaced file gives back", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          yield* sandbox.write(alice, "a", "x".repeat(60))
          yield* sandbox.write(alice, "a", "x".repeat(90))
          assert.strictEqual((yield* Effect.flip(sandbox.write(alice, "b", "x".repeat(11)))).kind, "quota")
          assert.strictEqual(
            (yield* Effect.flip(sandbox.write(alice, "a", "x".repeat(11), { append: true }))).kind,
            "quota"
          )
          assert.isFalse(yield* sandbox.exists(alice, "b"))
          yield* sandbox.write(alice, "a", "x".repeat(10))
          yield* sandbox.write(alice, "b", "x".repeat(90))
          assert.deepStrictEqual(yield* sandbox.usage(alice), { usedBytes: 100, limitBytes: 100 })
          yield* sandbox.write(bob, "b", "x".repeat(50))
        }), { quotaBytes: 100 }))

    it.effect("lets one of two writes pass that only fit alone", () =>
      inSandbox(({ sandbox }) =>
        Effect.gen(function*() {
          const results = yield* Effect.forEach(["a", "b"], (name) =>
            Effect.either(sandbox.write(alice, name, "x".repeat(60))), { concurrency: 2 })
          assert.strictEqual(
            results.filter((result) =>
              result._tag === "Right"
            ).length,
            1
          )
        }), { quotaBytes: 100 }))

    it.effect("looks again before it refuses, so that room made by others counts", () =>
      inSandbox((p) =>
        Effect.gen(function*() {
          yield* p.sandbox.write(alice, "a", "x".repeat(90))
          fs.rmSync(p.at("a"))
          yield* p.sandbox.write(alice, "b", "x".repeat(90))
        }), { quotaBytes: 100 }))
  })
}

interface Place {
  readonly sandbox: Sandbox["Type"]
  readonly base: string
  readonly root: string
  readonly outside: string
  readonly home: string
  readonly at: (name: string) => string
  readonly temporaries: () => ReadonlyArray<string>
  readonly assertUntouched: () => void
}

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

/** A root with the folders of two users, and beside it a folder that nobody may touch. */
const place = (options: Partial<SandboxOptions>): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function*() {
    const base = yield* Effect.acquireRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sandbox-")))),
      (base) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
    )
    const root = join(base, "users")
    const outside = join(base, "outside")
    const home = join(root, "alice")
    for (const folder of [outside, home, join(root, "bob")]) fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(join(outside, "secret.txt"), secret)
    fs.writeFileSync(join(root, "bob", "secret.txt"), secret)
    const sandbox = yield* Effect.provide(Sandbox, Sandbox.layer({ root, ...options }))
    return {
      sandbox,
      base,
      root,
      outside,
      home,
      at: (name) => join(home, name),
      temporaries: () =>
        fs.readdirSync(base, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".troupe-writing-")),
      assertUntouched: () => {
        assert.deepStrictEqual(fs.readdirSync(base).sort(), ["outside", "users"])
        assert.deepStrictEqual(fs.readdirSync(outside), ["secret.txt"])
        for (const file of [join(outside, "secret.txt"), join(root, "bob", "secret.txt")]) {
          assert.strictEqual(fs.readFileSync(file, "utf8"), secret)
        }
        assert.isEmpty(fs.readdirSync(root).filter((name) => !["alice", "bob", "carol"].includes(name)))
      }
    }
  })

const attempts = (path: string) => [
  (sandbox: Sandbox["Type"]) => Effect.map(sandbox.read(alice, path), ({ text }) => text),
  (sandbox: Sandbox["Type"]) => Effect.map(sandbox.readBytes(alice, path), (bytes) => Buffer.from(bytes).toString()),
  (sandbox: Sandbox["Type"]) => Effect.as(sandbox.write(alice, path, "x"), ""),
  (sandbox: Sandbox["Type"]) => Effect.as(sandbox.write(alice, path, "x", { append: true }), "")
]

/** Exchanges the folder `dir` for a link to the outside, before or after it is opened. */
const swapping = (openFolder: OpenFolder, when: "before" | "after"): OpenFolder => (location, path) => {
  if (!location.endsWith("/dir")) return openFolder(location, path)
  const swap = Effect.sync(() => {
    const real = fs.realpathSync(location)
    fs.renameSync(real, `${real}-moved`)
    fs.symlinkSync("../../outside", real)
  })
  return when === "before"
    ? Effect.zipRight(swap, openFolder(location, path))
    : Effect.zipLeft(openFolder(location, path), swap)
}

const listening = (path: string) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer()
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )
