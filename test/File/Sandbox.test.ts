import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, FastCheck as fc } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { maxReadBytes } from "../../src/File/FileContent.ts"
import { readLines } from "../../src/File/LineWindow.ts"
import { openFile } from "../../src/File/OpenDirectory.ts"
import { maxEntries } from "../../src/File/Sandbox.ts"
import { alice, bob, eachWay, secret } from "./place.ts"

eachWay("Sandbox", (test, openDirectory) => {
  test("writes replace whole files, make folders, keep the mode and append", function*(p) {
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

  test("writes at the same time leave one of the texts, never a mixture", function*(p) {
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(100_000))
    yield* Effect.forEach(texts, (text) => p.sandbox.write(alice, "deep/in/file.txt", text), {
      concurrency: "unbounded"
    })
    assert.include(texts, fs.readFileSync(p.at("deep/in/file.txt"), "utf8"))
    assert.deepStrictEqual(p.temporaries(), [])
  })

  test("users don't see each other's files", function*({ sandbox }) {
    yield* sandbox.write(alice, "mine.txt", "x")
    assert.isFalse(yield* Effect.isSuccess(sandbox.stat(bob, "mine.txt")))
    assert.strictEqual((yield* sandbox.read(bob, "secret.txt")).text, secret)
  })

  test("distinguishes missing files from folders, and finds what can be reached", function*(p) {
    const { sandbox } = p
    yield* sandbox.write(alice, "dir/file.txt", "x")
    fs.symlinkSync(p.outside, p.at("link"))
    assert.strictEqual((yield* Effect.flip(sandbox.read(alice, "dir/none.txt"))).kind, "missing")
    assert.include((yield* Effect.flip(sandbox.read(alice, "dir"))).reason, "folder")
    assert.include((yield* Effect.flip(sandbox.write(alice, ".", "x"))).reason, "folder")
    assert.include((yield* Effect.flip(sandbox.write(alice, "dir", "x"))).reason, "folder")
    assert.strictEqual((yield* Effect.flip(sandbox.write(alice, "dir/file.txt/x", "x"))).kind, "unsafe")
    assert.isTrue(yield* Effect.isSuccess(sandbox.stat(alice, "dir/file.txt")))
    for (const path of ["none", ".", "dir", "link", "link/secret.txt", "../bob", "\0"]) {
      assert.isFalse(yield* Effect.isSuccess(sandbox.stat(alice, path)))
    }
  })

  test("finds a file whose name is stored in decomposed form, and replaces that one", function*(p) {
    fs.mkdirSync(p.at("re\u0301sume\u0301"))
    fs.writeFileSync(p.at("re\u0301sume\u0301/cafe\u0301.txt"), "one")
    assert.strictEqual((yield* p.sandbox.read(alice, "r\u00E9sum\u00E9/caf\u00E9.txt")).text, "one")
    yield* p.sandbox.write(alice, "r\u00E9sum\u00E9/caf\u00E9.txt", "two")
    assert.strictEqual((yield* p.sandbox.list(alice, "r\u00E9sum\u00E9")).entries.length, 1)
    yield* p.sandbox.write(alice, "e\u0301.txt", "x")
    assert.deepInclude(fs.readdirSync(p.home), "\u00E9.txt")
  })

  test("lists by name, with links as what can't be opened", function*(p) {
    assert.deepStrictEqual(yield* p.sandbox.list(alice, "."), { entries: [], more: false })
    yield* p.sandbox.write(alice, "b.txt", "12345")
    yield* p.sandbox.write(alice, "a/x.txt", "")
    fs.symlinkSync(p.outside, p.at("c"))
    const { entries } = yield* p.sandbox.list(alice, ".")
    assert.deepStrictEqual(entries.map(({ kind, name, size }) => [name, kind, size]), [
      ["a", "folder", 0],
      ["b.txt", "file", 5],
      ["c", "other", 0]
    ])
  })

  test("lists a bounded part of a huge folder and says that there is more", function*(p) {
    for (let index = 0; index <= maxEntries; index++) fs.writeFileSync(p.at(`f${index}`), "")
    const listing = yield* p.sandbox.list(alice, ".")
    assert.deepStrictEqual([listing.entries.length, listing.more], [maxEntries, true])
  })

  test("reads a window of lines", function*({ sandbox }) {
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
    yield* sandbox.write(alice, "f", `${"x".repeat(65_535)}\nlast`)
    assert.deepStrictEqual((yield* window(0, 1)).slice(1), [1, true])
  })

  test("reads what a file held when it was opened, however it grows or shrinks meanwhile", function*(p) {
    const folder = yield* openDirectory(p.home, ".")
    const changed = (change: (path: string) => void) =>
      Effect.gen(function*() {
        fs.writeFileSync(p.at("f"), "one\ntwo\n")
        const file = yield* openFile(folder, "f", fs.constants.O_RDONLY, "f")
        change(p.at("f"))
        const { lines, more, text } = yield* readLines(file, { offset: 0, limit: Infinity, maxBytes: 100 })
        return [text, lines, more]
      })
    assert.deepStrictEqual(yield* changed((path) => fs.appendFileSync(path, "three\n")), ["one\ntwo\n", 2, false])
    assert.deepStrictEqual(yield* changed((path) => fs.truncateSync(path, 4)), ["one\n", 1, false])
  })

  test(
    "has an empty folder for a user who is new, and none for a path that can't be one",
    function*({ root, sandbox }) {
      const carol = UserId.make("carol")
      assert.strictEqual((yield* Effect.flip(sandbox.read(carol, "a\0b"))).kind, "name")
      assert.isFalse(fs.existsSync(join(root, carol)))
      assert.deepStrictEqual(yield* sandbox.list(carol, "."), { entries: [], more: false })
    }
  )

  test("leaves no file or folder open", function*(p) {
    yield* p.sandbox.write(alice, "in/f", "text")
    yield* p.sandbox.read(alice, "in/f")
    yield* p.sandbox.list(alice, "in")
    yield* Effect.flip(p.sandbox.read(alice, "in"))
    const open = process.platform === "linux" ? fs.readdirSync("/proc/self/fd") : []
    const links = open.map((name) => `/proc/self/fd/${name}`).filter((link) => fs.existsSync(link))
    assert.isEmpty(links.map((link) => fs.readlinkSync(link)).filter((target) => target.startsWith(p.base)))
  })

  test("every window of lines is what splitting the whole text gives", function*({ sandbox }) {
    const texts = fc.tuple(
      fc.array(fc.tuple(fc.constantFrom("", "é", "long \u{1F600}"), fc.nat(40_000)), { maxLength: 6 }),
      fc.nat(7),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean()
    )
    for (const [parts, offset, limit, ended] of fc.sample(texts, 40)) {
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

  test("reads large files in pieces, and refuses to read them whole", function*(p) {
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

  test("a window that is full ends with a whole character", function*({ sandbox }) {
    yield* sandbox.write(alice, "f", "é".repeat(10))
    assert.strictEqual((yield* sandbox.read(alice, "f", { maxBytes: 7 })).text, "ééé")
  })
})
