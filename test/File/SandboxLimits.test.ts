import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { maxWriteBytes } from "../../src/File/Sandbox.ts"
import { alice, bob, eachWay } from "./place.ts"

eachWay("Sandbox", (test) => {
  test("refuses to write more than a call may", function*({ sandbox }) {
    const refused = yield* Effect.flip(sandbox.write(alice, "f", new Uint8Array(maxWriteBytes + 1)))
    assert.strictEqual(refused.kind, "size")
    assert.isFalse(yield* Effect.isSuccess(sandbox.stat(alice, "f")))
  })

  test(
    "keeps each user within the quota of whole blocks, counting what a replaced file gives back",
    function*({ sandbox }) {
      yield* sandbox.write(alice, "a", "x".repeat(8_000))
      yield* sandbox.write(alice, "a", "x".repeat(12_200))
      assert.strictEqual((yield* Effect.flip(sandbox.write(alice, "b", "x".repeat(4_097)))).kind, "quota")
      const appended = yield* Effect.flip(sandbox.write(alice, "a", "x".repeat(5_000), { append: true }))
      assert.strictEqual(appended.kind, "quota")
      assert.include(appended.message, "16384 bytes, counted in blocks of 4096 bytes")
      assert.isFalse(yield* Effect.isSuccess(sandbox.stat(alice, "b")))
      yield* sandbox.write(alice, "a", "x".repeat(10))
      yield* sandbox.write(alice, "b", "x".repeat(12_200))
      assert.deepInclude(yield* sandbox.usage(alice), { usedBytes: 16_384, limitBytes: 16_384, usedFiles: 2 })
      yield* sandbox.write(bob, "b", "x".repeat(50))
    },
    { quotaBytes: 16_384 }
  )

  test("keeps each user within the number of files, empty ones and folders too", function*({ sandbox }) {
    yield* sandbox.write(alice, "folder/a", "")
    yield* sandbox.write(alice, "b", "")
    yield* sandbox.write(alice, "b", "again")
    const refused = yield* Effect.flip(sandbox.write(alice, "c", ""))
    assert.strictEqual(refused.kind, "quota")
    assert.include(refused.message, "at most 3 files and folders")
    yield* sandbox.write(bob, "c", "")
  }, { quotaBytes: 1_000_000, maxFiles: 3 })

  test("measures again before it refuses, so that space freed by others counts", function*(p) {
    yield* p.sandbox.write(alice, "a", "x".repeat(5_000))
    fs.rmSync(p.at("a"))
    yield* p.sandbox.write(alice, "b", "x".repeat(5_000))
  }, { quotaBytes: 8_192 })
})
