import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeVectorCache } from "../../src/Memory/VectorCache.ts"

/** Searches under a key and says whether its vectors were cached, new, or had no room; `during` runs meanwhile. */
const searcher = (capacity: number) => {
  const cache = makeVectorCache(capacity)
  return (key: string, bytes: number, during: Effect.Effect<void> = Effect.void) =>
    cache.use(key, bytes, {
      cached: (vectors) =>
        Effect.suspend(() => {
          const state = vectors.removals === 0 ? "new" : "cached"
          vectors.removals = 1
          return Effect.as(during, state)
        }),
      uncached: Effect.succeed("no room")
    })
}

describe("The cache of vectors", () => {
  it.effect("keeps the vectors of those who searched last, within its capacity", () =>
    Effect.gen(function*() {
      const search = searcher(100)
      yield* search("a", 40)
      yield* search("b", 40)
      assert.strictEqual(yield* search("a", 40), "cached")
      yield* search("c", 40)
      assert.strictEqual(yield* search("a", 40), "cached")
      assert.strictEqual(yield* search("b", 40), "new")
      assert.strictEqual(yield* search("c", 40), "new")
      assert.strictEqual(yield* search("d", 101), "no room")
      assert.strictEqual(yield* search("c", 40), "cached")
      assert.strictEqual(yield* search("c", 90), "cached")
      assert.strictEqual(yield* search("b", 40), "new")
      assert.strictEqual(yield* search("c", 90), "new")
    }))

  it.effect("gives no room that a search under way holds, and gives it after its end or interruption", () =>
    Effect.gen(function*() {
      const search = searcher(100)
      const done = yield* Deferred.make<void>()
      const first = yield* Effect.fork(search("a", 60, Deferred.await(done)))
      const second = yield* Effect.fork(search("a", 60))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* search("b", 60), "no room")
      assert.strictEqual(yield* search("b", 40), "new")
      assert.strictEqual(yield* search("c", 40), "new")
      assert.strictEqual(yield* search("a", 101), "no room")
      yield* Deferred.succeed(done, undefined)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["new", "cached"])
      assert.strictEqual(yield* search("b", 60), "new")
      const endless = yield* Effect.fork(search("a", 60, Effect.never))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* search("b", 60), "no room")
      yield* Fiber.interrupt(endless)
      assert.strictEqual(yield* search("b", 60), "new")
    }))
})
