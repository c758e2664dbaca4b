import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { makeExpiringCache } from "../../src/Runtime/ExpiringCache.ts"

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
