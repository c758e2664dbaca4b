import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { Folder, inFolder, opened } from "./builtIns.ts"
import { callOf, contentOf, context } from "./calls.ts"

const use = (name: string, args: object) =>
  Effect.flatMap(opened(), (toolbox) => toolbox.call(callOf(name, args), context))

const answer = (name: string, args: object) => Effect.flatMap(opened(), (toolbox) => contentOf(toolbox, name, args))

describe("The built-in tools", () => {
  it.effect("write_file makes a file that list_directory shows and read_file reads", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answer("list_directory", {}), "The folder is empty.")
      assert.strictEqual(
        yield* answer("write_file", { path: "notes/plan.md", content: "one\n" }),
        "Wrote notes/plan.md, which now has 4 bytes."
      )
      assert.strictEqual(
        yield* answer("write_file", { path: "notes/plan.md", content: "two", append: true }),
        "Added to notes/plan.md, which now has 7 bytes."
      )
      assert.strictEqual(yield* answer("list_directory", {}), "notes/")
      assert.strictEqual(yield* answer("list_directory", { path: "notes" }), "plan.md (7 bytes)")
      assert.strictEqual(yield* answer("read_file", { path: "notes/plan.md" }), "one\ntwo")
    }).pipe(Effect.provide(inFolder)))

  it.effect("read_file says where to continue, where a file ends, and that a file is not text", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "f", content: "a\nb\nc\n" })
      yield* answer("write_file", { path: "empty", content: "" })
      yield* answer("write_file", { path: "binary", content: "PK\0\0" })
      assert.strictEqual(
        yield* answer("read_file", { path: "f", offset: 1, limit: 1 }),
        "b\n\n[The file goes on: continue with offset 2.]"
      )
      assert.strictEqual(yield* answer("read_file", { path: "f", offset: 2 }), "c\n")
      assert.include(yield* answer("read_file", { path: "f", offset: 9 }), "ends before line 9")
      assert.strictEqual(yield* answer("read_file", { path: "empty" }), "[The file is empty.]")
      assert.match(yield* answer("read_file", { path: "binary" }), /^Error: .*read_document/)
    }).pipe(Effect.provide(inFolder)))

  it.effect("read_file shows 20 lines of a long file, and the size of one that does not fit", () =>
    Effect.gen(function*() {
      const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}`)
      yield* answer("write_file", { path: "long", content: lines.slice(0, 2_000).join("\n") })
      yield* answer("write_file", { path: "huge", content: lines.join("\n") })
      const long = yield* answer("read_file", { path: "long" })
      assert.isTrue(long.startsWith(`${lines.slice(0, 20).join("\n")}\n\n[`))
      assert.include(long, "20 of 2000 lines")
      assert.match(yield* answer("read_file", { path: "huge" }), /^\[The file has \d+ bytes/)
      assert.strictEqual(
        yield* answer("read_file", { path: "huge", offset: 59_998 }),
        "line 59998\nline 59999"
      )
    }).pipe(Effect.provide(inFolder)))

  it.effect("return a refusal of the sandbox as an error with advice", () =>
    Effect.gen(function*() {
      assert.match(yield* answer("read_file", { path: "../bob/x" }), /^Error: "\.\.\/bob\/x": .*Choose another path\.$/)
      assert.match(yield* answer("read_file", { path: "none.txt" }), /^Error: .*Use list_directory/)
      assert.match(yield* answer("list_directory", { path: "/etc" }), /^Error: .*relative/)
      assert.match(yield* answer("write_file", { path: "big", content: "x".repeat(1_000_001) }), /^Error: .*make room/)
      assert.match(yield* answer("write_file", { path: "", content: "x" }), /^Error: .*folder/)
    }).pipe(Effect.provide(inFolder)))

  it.effect("list_directory shows a name with line breaks as one", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "first", content: "" })
      fs.writeFileSync(join(yield* Folder, "alice", "a\nb"), "")
      assert.strictEqual(yield* answer("list_directory", {}), "\"a\\nb\" (0 bytes)\nfirst (0 bytes)")
    }).pipe(Effect.provide(inFolder)))

  it.effect("attach_file names an existing file by its real path, and nothing else", () =>
    Effect.gen(function*() {
      yield* answer("write_file", { path: "out/report.md", content: "done" })
      const outcome = yield* use("attach_file", { path: "./out/../out/report.md" })
      assert.deepInclude(outcome, { _tag: "Answered", attach: ["out/report.md"] })
      const home = join(yield* Folder, "alice")
      fs.linkSync(join(home, "out/report.md"), join(home, "second-name.md"))
      fs.writeFileSync(join(home, "a\u202Egnp.exe"), "")
      fs.symlinkSync("a\u202Egnp.exe", join(home, "alias.md"))
      assert.match((yield* use("attach_file", { path: "second-name.md" })).content, /^Error: .*hard links/)
      for (const path of ["none.md", "out", "../x", "out/report.md", "second-name.md", "a\u202Egnp.exe", "alias.md"]) {
        const refused = yield* use("attach_file", { path })
        assert.match(refused.content, /^Error: /)
        assert.notProperty(refused, "attach")
      }
    }).pipe(Effect.provide(inFolder)))

  it.effect("wait sleeps up to 5 seconds in place", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answer("wait", { seconds: 0 }), "Waited 0 seconds.")
      const fiber = yield* Effect.fork(answer("wait", { seconds: 5 }))
      yield* TestClock.adjust("4999 millis")
      assert.isTrue((yield* Fiber.poll(fiber))._tag === "None")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "Waited 5 seconds.")
    }).pipe(Effect.provide(inFolder)))

  it.effect("wait puts the task to sleep for more, and takes no more than a day", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000)
      assert.deepStrictEqual(yield* use("wait", { seconds: 86_400 }), {
        _tag: "Deferred",
        until: 86_401_000,
        content: "Waited 86400 seconds."
      })
      for (const seconds of [-1, 86_401, "10"]) {
        assert.match(yield* answer("wait", { seconds }), /^Error: .*"seconds" must be a number of at least 0/)
      }
    }).pipe(Effect.provide(inFolder)))
})
