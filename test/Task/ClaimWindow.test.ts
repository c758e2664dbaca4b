import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeClaimWindow, type ScanResult } from "../../src/Task/Claim/ClaimWindow.ts"

const shards = [1, 2, 3]

/** How far back a scan goes, in seconds; undefined for a full one. */
const sinceOf = (
  window: ReturnType<typeof makeClaimWindow>,
  result: ScanResult = "exhaustive",
  owned: ReadonlyArray<number> = shards
) =>
  Effect.gen(function*() {
    let asked: number | undefined
    yield* window.scan(owned, (since) =>
      Effect.sync(() => {
        asked = since
        return result
      }))
    return asked
  })

describe("ClaimWindow", () => {
  it.effect("is unbounded at first, then covers only what the last scan can't have seen", () =>
    Effect.gen(function*() {
      const window = makeClaimWindow()
      assert.isUndefined(yield* sinceOf(window))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* sinceOf(window), 32)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* sinceOf(window), 31, "every exhaustive scan moves it on")
    }))

  it.effect("keeps its start until a scan has seen everything", () =>
    Effect.gen(function*() {
      const window = makeClaimWindow()
      assert.isUndefined(yield* sinceOf(window, "partial"))
      assert.isUndefined(yield* sinceOf(window))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* sinceOf(window, "partial"), 31)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* sinceOf(window), 32)
      assert.strictEqual(yield* sinceOf(window), 30)
    }))

  it.effect("is unbounded again once shards are gained, a task is released or ten seconds have passed", () =>
    Effect.gen(function*() {
      const window = makeClaimWindow()
      yield* sinceOf(window)
      assert.isDefined(yield* sinceOf(window, "exhaustive", [1, 2]), "fewer shards are no reason")
      assert.isUndefined(yield* sinceOf(window, "exhaustive", [1, 2, 4]))
      window.reset()
      assert.isUndefined(yield* sinceOf(window, "exhaustive", [1, 2]))
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(yield* sinceOf(window, "exhaustive", [1, 2]))
      yield* TestClock.adjust("1 seconds")
      assert.isUndefined(yield* sinceOf(window, "exhaustive", [1, 2]))
    }))

  it.effect("keeps a reset made during a scan, and is not moved by a scan that failed", () =>
    Effect.gen(function*() {
      const window = makeClaimWindow()
      yield* window.scan(shards, () =>
        Effect.sync(() => {
          window.reset()
          return "exhaustive"
        }))
      assert.isUndefined(yield* sinceOf(window))
      yield* Effect.ignore(window.scan(shards, () => Effect.fail("unavailable")))
      assert.isDefined(yield* sinceOf(window), "the result of an earlier scan still holds")
      const fresh = makeClaimWindow()
      yield* Effect.ignore(fresh.scan(shards, () => Effect.fail("unavailable")))
      assert.isUndefined(yield* sinceOf(fresh))
    }))
})
