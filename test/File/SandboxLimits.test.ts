import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { maxWriteBytes, type SandboxOptions } from "../../src/File/Sandbox.ts"
import { alice, bob, inSandbox, type Place, ways } from "./place.ts"

for (const [way, openFolder] of ways) {
  describe(`Sandbox with ${way}`, () => {
    const within = <A, E>(
      test: (place: Place) => Effect.Effect<A, E, Scope.Scope>,
      options: Partial<SandboxOptions> = {}
    ) => inSandbox({ openFolder, ...options }, test)

    it.effect("refuses to write more than a call may", () =>
      within(({ sandbox }) =>
        Effect.gen(function*() {
          const refused = yield* Effect.flip(sandbox.write(alice, "f", new Uint8Array(maxWriteBytes + 1)))
          assert.strictEqual(refused.kind, "size")
          assert.isFalse(yield* Effect.isSuccess(sandbox.stat(alice, "f")))
        })
      ))

    it.effect("keeps each user within the quota of whole blocks, counting what a replaced file gives back", () =>
      within(({ sandbox }) =>
        Effect.gen(function*() {
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
        }), { quotaBytes: 16_384 }))

    it.effect("keeps each user within the number of files, empty ones and folders too", () =>
      within(({ sandbox }) =>
        Effect.gen(function*() {
          yield* sandbox.write(alice, "folder/a", "")
          yield* sandbox.write(alice, "b", "")
          yield* sandbox.write(alice, "b", "again")
          const refused = yield* Effect.flip(sandbox.write(alice, "c", ""))
          assert.strictEqual(refused.kind, "quota")
          assert.include(refused.message, "at most 3 files and folders")
          yield* sandbox.write(bob, "c", "")
        }), { quotaBytes: 1_000_000, maxFiles: 3 }))

    it.effect("accepts one of two concurrent writes that fit only alone", () =>
      within(({ sandbox }) =>
        Effect.gen(function*() {
          const results = yield* Effect.forEach(
            ["a", "b"],
            (name) => Effect.either(sandbox.write(alice, name, "x".repeat(5_000))),
            { concurrency: 2 }
          )
          assert.strictEqual(
            results.filter((result) => result._tag === "Right").length,
            1
          )
        }), { quotaBytes: 8_192 }))

    it.effect("measures again before it refuses, so that space freed by others counts", () =>
      within((p) =>
        Effect.gen(function*() {
          yield* p.sandbox.write(alice, "a", "x".repeat(5_000))
          fs.rmSync(p.at("a"))
          yield* p.sandbox.write(alice, "b", "x".repeat(5_000))
        }), { quotaBytes: 8_192 }))
  })
}
