import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeFairSlots } from "../../src/Runtime/FairSlots.ts"

describe("Slots that users share", () => {
  it.effect("are at most half taken by one user, and free for the next one at once", () =>
    Effect.gen(function*() {
      const slots = makeFairSlots<string>(8)
      const running: Array<string> = []
      const run = (user: string) =>
        slots.withSlot(user)(Effect.zipRight(Effect.sync(() => running.push(user)), Effect.never))
      const ann = yield* Effect.forkAll(Array.from({ length: 20 }, () => run("ann")))
      yield* Effect.yieldNow()
      assert.deepStrictEqual(running, ["ann", "ann", "ann", "ann"])
      const others = yield* Effect.forkAll(["bob", "cleo"].map(run))
      yield* Effect.yieldNow()
      assert.deepStrictEqual(running.slice(4), ["bob", "cleo"])
      yield* Fiber.interrupt(Fiber.zip(ann, others))
      assert.strictEqual(yield* slots.withSlot("ann")(Effect.succeed("free")), "free")
    }))

  it.effect("go to users in turns, whoever has asked more often", () =>
    Effect.gen(function*() {
      const slots = makeFairSlots<string>(2)
      const gates = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const first = yield* Effect.forEach(gates, (gate, index) =>
        Effect.fork(slots.withSlot(["x", "y"][index] ?? "")(Deferred.await(gate))))
      yield* Effect.yieldNow()
      const order: Array<string> = []
      const waiting = yield* Effect.forEach(["ann", "ann", "ann", "bob"], (user) =>
        Effect.tap(
          Effect.fork(
            slots.withSlot(user)(Effect.sync(() =>
              order.push(user)
            ))
          ),
          () => Effect.yieldNow()
        ))
      yield* Deferred.succeed(gates[0], undefined)
      yield* Fiber.joinAll(waiting)
      assert.isBelow(order.indexOf("bob"), 2)
      yield* Deferred.succeed(gates[1], undefined)
      yield* Fiber.joinAll(first)
    }))
})
