import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { sharedCheck } from "../../src/Http/SharedCheck.ts"

const checked = Effect.gen(function*() {
  let runs = 0
  const ask = yield* sharedCheck(Effect.delay(Effect.sync(() => ++runs), "2 seconds"), "1 second")
  return { ask, runs: () => runs }
})

describe("A shared check", () => {
  it.effect("that takes longer than its result is kept has the same result for all who ask meanwhile", () =>
    Effect.gen(function*() {
      const { ask } = yield* checked
      const asking: Array<Fiber.Fiber<number>> = []
      for (let at = 0; at < 4; at++) {
        asking.push(yield* Effect.fork(ask))
        yield* TestClock.adjust("500 millis")
      }
      assert.deepStrictEqual(yield* Fiber.join(Fiber.all(asking)), [1, 1, 1, 1])
    }))

  it.effect("keeps its result for a time from its end", () =>
    Effect.gen(function*() {
      const { ask, runs } = yield* checked
      const first = yield* Effect.fork(ask)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(first)
      yield* TestClock.adjust("900 millis")
      assert.strictEqual(yield* ask, 1)
      yield* TestClock.adjust("100 millis")
      const again = yield* Effect.fork(ask)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(again), 2)
      assert.strictEqual(runs(), 2)
    }))

  it.effect("continues for the others when one does not wait for it", () =>
    Effect.gen(function*() {
      const { ask } = yield* checked
      const impatient = yield* Effect.fork(ask)
      yield* TestClock.adjust("1 second")
      const other = yield* Effect.fork(ask)
      yield* Fiber.interrupt(impatient)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(other), 1)
    }))
})
