import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import { makeExpiringMap } from "../../src/Runtime/ExpiringMap.ts"

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
