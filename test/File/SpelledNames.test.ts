import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const ann = UserId.make("ann")

/** The sandbox, in which the user has these files, each with its name in it. */
const withFiles = (...names: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const root = yield* freshFolder
    for (const name of names) {
      const location = join(root, ann, name)
      mkdirSync(join(location, ".."), { recursive: true })
      writeFileSync(location, name)
    }
    const sandbox = yield* Effect.provide(Sandbox, Sandbox.layer({ root }))
    return { sandbox, folder: join(root, ann) }
  })

/** Names as they are stored, and as people and models write them. */
const spellings: ReadonlyArray<readonly [stored: string, written: string]> = [
  ["Screenshot 2026-11-28 at 9.41.00\u202FAM.png", "Screenshot 2026-11-28 at 9.41.00 AM.png"],
  ["Plan\u00A0B.txt", "Plan B.txt"],
  ["Bob\u2019s \u201Cplan\u201D.txt", "Bob's \"plan\".txt"],
  ["2025\u20132026.txt", "2025-2026.txt"],
  ["and so on\u2026.txt", "and so on....txt"],
  ["soft\u00ADhyphen\u200B.txt", "softhyphen.txt"],
  ["Cafe\u0301.txt", "Caf\u00E9.txt"],
  ["Bob\u2019s cafe\u0301.txt", "Bob's caf\u00E9.txt"],
  ["Plan B.txt", "Plan\u202FB.txt"],
  ["Ann\u2019s\u00A0folder/a\u202Fb.txt", "Ann's folder/a b.txt"]
]

describe("A file whose name has signs that look like others", () => {
  it.scoped.each(spellings)("%j is found as %j", ([stored, written]) =>
    Effect.gen(function*() {
      const { sandbox } = yield* withFiles(stored, "Other.txt")
      assert.strictEqual((yield* sandbox.read(ann, written)).text, stored)
      assert.strictEqual(Buffer.from(yield* sandbox.readBytes(ann, written)).toString(), stored)
      assert.strictEqual((yield* sandbox.stat(ann, written)).path, stored)
      const [folder] = written.split("/")
      if (folder !== written) assert.lengthOf((yield* sandbox.list(ann, folder ?? "")).entries, 1)
    }))

  it.scoped("is found by its own name beside others that look like it", () =>
    Effect.gen(function*() {
      const { sandbox } = yield* withFiles("a b.txt", "a\u202Fb.txt", "a\u00A0b.txt")
      for (const name of ["a b.txt", "a\u202Fb.txt", "a\u00A0b.txt"]) {
        assert.strictEqual((yield* sandbox.read(ann, name)).text, name)
      }
    }))

  it.scoped("is not guessed among several, which the error lists so that they differ", () =>
    Effect.gen(function*() {
      const { sandbox } = yield* withFiles("a\u202Fb.txt", "a\u00A0b.txt")
      const { message } = yield* Effect.flip(sandbox.read(ann, "a b.txt"))
      assert.include(message, "2 look like it")
      assert.include(message, String.raw`"a\u202fb.txt"`)
      assert.include(message, String.raw`"a\u00a0b.txt"`)
    }))

  it.scoped("is not replaced or deleted by another spelling", () =>
    Effect.gen(function*() {
      const { folder, sandbox } = yield* withFiles("a\u202Fb.txt")
      yield* sandbox.write(ann, "a b.txt", "new")
      assert.strictEqual((yield* sandbox.read(ann, "a\u202Fb.txt")).text, "a\u202Fb.txt")
      yield* sandbox.remove(ann, "a b.txt")
      assert.strictEqual((yield* Effect.flip(sandbox.remove(ann, "a b.txt"))).kind, "missing")
      assert.deepStrictEqual(readdirSync(folder), ["a\u202Fb.txt"])
    }))
})
