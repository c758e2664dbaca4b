import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, TestClock } from "effect"
import { makeExpiringCache, makeExpiringMap } from "../../src/Runtime/Cache.ts"

/** A cache of 10 seconds whose lookups count themselves and end as `result` says. */
const counting = <E>(result: Effect.Effect<void, E>) => {
  const looked = { up: 0 }
  const lookup = (key: string) =>
    Effect.suspend(() => {
      looked.up += 1
      return Effect.as(result, `${key} ${looked.up}`)
    })
  return { looked, cache: makeExpiringCache({ capacity: 9, timeToLive: "10 seconds", lookup }) }
}

describe("An expiring cache", () => {
  it.effect("looks a value up once in its time to live, and at a refresh", () =>
    Effect.gen(function*() {
      const { cache } = counting(Effect.void)
      assert.deepStrictEqual(yield* Effect.all([cache.get("a"), cache.get("a")]), ["a 1", "a 1"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Effect.all([cache.get("a"), cache.get("a")]), ["a 2", "a 2"])
      assert.strictEqual(yield* cache.refresh("a"), "a 3")
      assert.strictEqual(yield* cache.get("a"), "a 3")
      yield* cache.forget("a")
      assert.strictEqual(yield* cache.get("a"), "a 4")
    }))

  it.effect("shares a lookup, which continues when the first caller is interrupted", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<void>()
      const { cache, looked } = counting(Deferred.await(answered))
      const [first, second] = [yield* Effect.fork(cache.get("a")), yield* Effect.fork(cache.get("a"))]
      yield* TestClock.adjust(0)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(first)))
      yield* Deferred.succeed(answered, undefined)
      assert.strictEqual(yield* Fiber.join(second), "a 1")
      assert.strictEqual(looked.up, 1)
    }))

  it.effect("caches neither failures nor defects", () =>
    Effect.gen(function*() {
      const failing = counting(Effect.fail("wrong"))
      const dying = counting(Effect.die("broken"))
      for (const attempt of [1, 2]) {
        assert.strictEqual(yield* Effect.flip(failing.cache.get("a")), "wrong")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(dying.cache.get("a"))))
        assert.deepStrictEqual([failing.looked.up, dying.looked.up], [attempt, attempt])
      }
    }))
})

describe("An expiring map", () => {
  it.effect("finds values until their time to live is over", () =>
    Effect.gen(function*() {
      const map = makeExpiringMap<string, number>({ capacity: 9, timeToLive: "10 seconds" })
      yield* map.set("long", 1)
      yield* map.set("short", 2, "1 second")
      yield* map.set("removed", 3)
      yield* map.remove("removed")
      const found = Effect.forEach(["long", "short", "removed"], (key) => Effect.map(map.get(key), Option.getOrNull))
      assert.deepStrictEqual(yield* found, [1, 2, null])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* found, [1, null, null])
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* found, [null, null, null])
    }))

  it.effect("drops the longest unchanged values beyond its capacity", () =>
    Effect.gen(function*() {
      const map = makeExpiringMap<number, string>({ capacity: 3, timeToLive: "1 second" })
      for (const key of [1, 2, 3, 1, 4]) yield* map.set(key, `set ${key}`)
      const kept = yield* Effect.filter([1, 2, 3, 4], (key) => Effect.map(map.get(key), Option.isSome))
      assert.deepStrictEqual(kept, [1, 3, 4])
    }))
})
