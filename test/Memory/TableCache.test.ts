import { assert, describe, it } from "@effect/vitest"
import { MemoryId } from "@troupe/domain/Memory"
import { Deferred, Effect, Fiber } from "effect"
import { v7 } from "uuid"
import { makeKernel } from "../../src/Memory/Kernel.ts"
import { makeSieve } from "../../src/Memory/Sieve.ts"
import { sketchOf, sketchQuery, sketchShape } from "../../src/Memory/Sketch.ts"
import { beginning } from "../../src/Memory/SketchReads.ts"
import { makeSketchTable, tableBytes } from "../../src/Memory/SketchTable.ts"
import { type Kept, makeTableCache } from "../../src/Memory/TableCache.ts"

const shape = sketchShape(64)
const newTable = () => makeSketchTable(makeKernel(), shape)

/** Asks for the table of `key` and tells whether it was there, new, or had no room; `during` runs while it is in use. */
const asker = (capacity: number) => {
  const cache = makeTableCache(capacity)
  return (key: string, bytes: number, during: Effect.Effect<void> = Effect.void) =>
    Effect.suspend(() => {
      let said = "there"
      return cache.use(key, {
        bytes,
        make: () => {
          said = "new"
          return { table: newTable(), at: beginning, removals: 0 }
        },
        work: () => Effect.map(during, () => said),
        otherwise: Effect.succeed("no room")
      })
    })
}

describe("The cache of tables", () => {
  it.effect("keeps those that were asked for last, within its capacity", () =>
    Effect.gen(function*() {
      const ask = asker(100_000)
      yield* ask("a", 40_000)
      yield* ask("b", 40_000)
      assert.strictEqual(yield* ask("a", 40_000), "there")
      yield* ask("c", 40_000)
      assert.strictEqual(yield* ask("a", 40_000), "there")
      assert.strictEqual(yield* ask("b", 40_000), "new")
      assert.strictEqual(yield* ask("c", 40_000), "new")
      assert.strictEqual(yield* ask("d", 101_000), "no room")
      assert.strictEqual(yield* ask("c", 40_000), "there")
      yield* ask("b", 40_000)
      yield* ask("e", 90_000)
      assert.strictEqual(yield* ask("b", 10_000), "new")
      assert.strictEqual(yield* ask("c", 40_000), "new")
    }))

  it.effect("has no room beside those in use, and has it again after them", () =>
    Effect.gen(function*() {
      const ask = asker(100_000)
      const done = yield* Deferred.make<void>()
      const [one, two] = [
        yield* Effect.fork(ask("a", 60_000, Deferred.await(done))),
        yield* Effect.fork(ask("a", 60_000))
      ]
      yield* Effect.yieldNow()
      assert.strictEqual(yield* ask("b", 60_000), "no room")
      assert.strictEqual(yield* ask("b", 40_000), "new")
      assert.strictEqual(yield* ask("c", 40_000), "new")
      assert.strictEqual(yield* ask("b", 40_000), "new")
      assert.strictEqual(yield* ask("a", 101_000), "no room")
      assert.strictEqual(yield* ask("b", 41_000), "no room")
      yield* Deferred.succeed(done, undefined)
      assert.deepStrictEqual([yield* Fiber.join(one), yield* Fiber.join(two)], ["new", "there"])
      assert.strictEqual(yield* ask("b", 60_000), "new")
      assert.strictEqual(yield* ask("a", 60_000), "new")
    }))

  it.effect("has its room again, wherever a search is interrupted", () =>
    Effect.gen(function*() {
      // The scheduler lets others run at every 200th operation: at each of those of a search in turn.
      for (let before = 150; before < 200; before++) {
        const ask = asker(100_000)
        const search = Array.from({ length: before }).reduce<Effect.Effect<string>>(
          (rest) => Effect.suspend(() => rest),
          ask("a", 60_000, Effect.never)
        )
        const searching = yield* Effect.fork(Effect.withMaxOpsBeforeYield(search, 200))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(searching)
        assert.strictEqual(yield* ask("b", 60_000), "new")
      }
    }))

  it.effect("counts what a table takes, also where it takes more than was thought", () =>
    Effect.gen(function*() {
      const cache = makeTableCache(4_000)
      const filled = (kept: Kept) =>
        Effect.sync(() => {
          for (let row = 0; row < 5; row++) kept.table.put(MemoryId.make(v7()), sketchOf(new Float32Array(64)))
        })
      const make = () => ({ table: newTable(), at: beginning, removals: 0 })
      const use = (key: string, work: (kept: Kept) => Effect.Effect<void>) =>
        cache.use(key, { bytes: 100, make, work, otherwise: Effect.dieMessage("no room") })
      yield* use("a", filled)
      yield* use("a", () => Effect.void)
      yield* use("b", filled)
      let found = -1
      yield* use("a", ({ table }) => Effect.sync(() => (found = table.size())))
      assert.strictEqual(found, 5)
      yield* use("b", () => Effect.void)
      yield* use("a", ({ table }) => Effect.sync(() => (found = table.size())))
      assert.strictEqual(found, 0)
    }))
})

describe("A table of sketches", () => {
  it("takes as many bytes as was said before", () => {
    const wide = sketchShape(8_192)
    for (const count of [0, 1, 4, 5, 63, 64, 200]) {
      const table = makeSketchTable(makeKernel(), wide)
      for (let row = 0; row < count; row++) table.put(MemoryId.make(v7()), new Uint8Array(wide.size))
      assert.strictEqual(table.bytes(), tableBytes(wide, count))
      assert.strictEqual(table.size(), count)
    }
  })

  it.effect("holds what was put last under an id, and nothing of what was removed", () =>
    Effect.gen(function*() {
      const table = newTable()
      const ids = Array.from({ length: 9 }, () => MemoryId.make(v7()))
      const vectorOf = (place: number) => Float32Array.from({ length: 64 }, (_, at) => at === place ? 1 : 0)
      for (const [place, id] of ids.entries()) table.put(id, sketchOf(vectorOf(place)))
      const found = (place: number) =>
        Effect.gen(function*() {
          const sieve = makeSieve(50)
          yield* table.sift(sketchQuery(vectorOf(place)), sieve)
          return sieve.candidates().map(({ id }) => ids.indexOf(id))
        })
      assert.deepStrictEqual(yield* found(3), [3])
      const [first = MemoryId.make(v7()), , third = first] = ids
      table.put(third, sketchOf(vectorOf(30)))
      table.put(first, new Uint8Array(3))
      assert.deepStrictEqual([yield* found(30), yield* found(2), yield* found(0)], [[2], [], [0]])
      table.remove(first)
      table.remove(first)
      assert.deepStrictEqual([yield* found(0), yield* found(8), yield* found(30)], [[], [8], [2]])
      table.retain(new Set(ids.slice(4)))
      assert.strictEqual(table.size(), 5)
      assert.deepStrictEqual([yield* found(8), yield* found(4), yield* found(3)], [[8], [4], []])
    }))

  it.effect("finds what is left when whole blocks are removed, and takes no bytes for them", () =>
    Effect.gen(function*() {
      const wide = sketchShape(8_192)
      const table = makeSketchTable(makeKernel(), wide)
      const ids = Array.from({ length: 200 }, () => MemoryId.make(v7()))
      const vectorOf = (place: number) => Float32Array.from({ length: 8_192 }, (_, at) => at === place ? 1 : 0)
      for (const [place, id] of ids.entries()) table.put(id, sketchOf(vectorOf(place)))
      const isFound = (place: number) =>
        Effect.gen(function*() {
          const sieve = makeSieve(1)
          yield* table.sift(sketchQuery(vectorOf(place)), sieve)
          return sieve.candidates().some(({ id }) => id === ids[place])
        })
      table.retain(new Set(ids.slice(150)))
      assert.deepStrictEqual([yield* isFound(0), yield* isFound(150), yield* isFound(199)], [false, true, true])
      assert.isAtMost(table.bytes(), tableBytes(wide, 60))
      table.retain(new Set())
      assert.deepStrictEqual([yield* isFound(199), table.bytes()], [false, tableBytes(wide, 0)])
      for (const [place, id] of ids.entries()) table.put(id, sketchOf(vectorOf(place)))
      assert.deepStrictEqual([yield* isFound(0), yield* isFound(199)], [true, true])
    }))
})
