import { assert, describe, it } from "@effect/vitest"
import { Effect, FiberRef } from "effect"
import { performance } from "node:perf_hooks"
import { makeSlicedScheduler } from "../../src/Runtime/EventLoop.ts"

const busyMillisecond = Effect.sync(() => {
  const end = performance.now() + 1
  while (performance.now() < end) { /* busy */ }
})

/** How often the event loop came round, which it does once sockets and timers are served. */
const countTurns = Effect.acquireRelease(
  Effect.sync(() => {
    const turns = { count: 0, next: setImmediate(() => undefined) }
    const turn = () => {
      turns.count++
      turns.next = setImmediate(turn)
    }
    turns.next = setImmediate(turn)
    return turns
  }),
  (turns) => Effect.sync(() => clearImmediate(turns.next))
)

describe("SlicedScheduler", () => {
  it.scopedLive("serves sockets and timers while many fibers are ready", () =>
    Effect.gen(function*() {
      const turns = yield* countTurns
      const fibers = Array.from({ length: 200 }, () => busyMillisecond)
      yield* Effect.locally(
        Effect.all(fibers, { concurrency: "unbounded", discard: true }),
        FiberRef.currentScheduler,
        makeSlicedScheduler()
      )
      assert.isAtLeast(turns.count, 20)
    }))

  it.live("runs the fibers that are ready in their order, those of a later slice too", () =>
    Effect.gen(function*() {
      const order: Array<number> = []
      const numbers = Array.from({ length: 50 }, (_, number) => number)
      const step = (number: number) => Effect.zipRight(busyMillisecond, Effect.sync(() => order.push(number)))
      yield* Effect.locally(
        Effect.forEach(numbers, (number) =>
          Effect.zipRight(step(number), Effect.zipRight(Effect.yieldNow(), step(number + 50))), {
          concurrency: "unbounded",
          discard: true
        }),
        FiberRef.currentScheduler,
        makeSlicedScheduler()
      )
      assert.deepStrictEqual(
        order,
        [...order].sort((first, second) =>
          first - second
        )
      )
      assert.strictEqual(order.length, 100)
    }))
})
