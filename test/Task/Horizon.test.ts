import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { type Horizon, type Look, makeHorizon } from "../../src/Task/Horizon.ts"

const shards = [1, 2, 3]

/** How far back a look goes, in seconds; undefined for one that goes all the way. */
const looking = (horizon: Horizon, finds: Look = "exhaustive", owned: ReadonlyArray<number> = shards) =>
  Effect.gen(function*() {
    let asked: number | undefined
    yield* horizon.look(owned, (since) =>
      Effect.sync(() => {
        asked = since
        return finds
      }))
    return asked
  })

describe("Horizon", () => {
  it.effect("goes all the way back at first, then only to what the last look can't have seen", () =>
    Effect.gen(function*() {
      const horizon = makeHorizon()
      assert.isUndefined(yield* looking(horizon))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* looking(horizon), 32)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* looking(horizon), 31, "every look that found all moves it on")
    }))

  it.effect("goes as far back again until a look has seen everything", () =>
    Effect.gen(function*() {
      const horizon = makeHorizon()
      assert.isUndefined(yield* looking(horizon, "partial"))
      assert.isUndefined(yield* looking(horizon))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* looking(horizon, "partial"), 31)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* looking(horizon), 32)
      assert.strictEqual(yield* looking(horizon), 30)
    }))

  it.effect("goes all the way back once shards are gained, a task is given back or ten seconds are over", () =>
    Effect.gen(function*() {
      const horizon = makeHorizon()
      yield* looking(horizon)
      assert.isDefined(yield* looking(horizon, "exhaustive", [1, 2]), "fewer shards are no reason")
      assert.isUndefined(yield* looking(horizon, "exhaustive", [1, 2, 4]))
      horizon.forget()
      assert.isUndefined(yield* looking(horizon, "exhaustive", [1, 2]))
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(yield* looking(horizon, "exhaustive", [1, 2]))
      yield* TestClock.adjust("1 seconds")
      assert.isUndefined(yield* looking(horizon, "exhaustive", [1, 2]))
    }))

  it.effect("does not lose what is given back while a look is under way, or a look that failed", () =>
    Effect.gen(function*() {
      const horizon = makeHorizon()
      yield* horizon.look(shards, () =>
        Effect.sync(() => {
          horizon.forget()
          return "exhaustive"
        }))
      assert.isUndefined(yield* looking(horizon))
      yield* Effect.ignore(horizon.look(shards, () => Effect.fail("the database is away")))
      assert.isDefined(yield* looking(horizon), "what an earlier look has found still holds")
      const fresh = makeHorizon()
      yield* Effect.ignore(fresh.look(shards, () => Effect.fail("the database is away")))
      assert.isUndefined(yield* looking(fresh))
    }))
})
