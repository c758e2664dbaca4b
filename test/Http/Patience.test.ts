import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Patience, unlessAway } from "../../src/Http/Patience.ts"

const late = Effect.succeed("late")
const isAway = Effect.succeed(true)

describe("A request with a database that may be away", () => {
  it.live("is answered by the work where that has an answer, or fails as it does", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* unlessAway(Effect.succeed("done"), isAway, late), "done")
      assert.strictEqual(yield* unlessAway(Effect.as(Effect.yieldNow(), "done"), isAway, late), "done")
      assert.strictEqual(yield* Effect.flip(unlessAway(Effect.fail("wrong"), isAway, late)), "wrong")
    }))

  it.live("goes on for as long as the database answers", () =>
    Effect.gen(function*() {
      const finished = yield* Deferred.make<string>()
      let looks = 0
      const look = Effect.suspend(() =>
        ++looks < 3 ? Effect.succeed(false) : Effect.as(Deferred.succeed(finished, "done"), false)
      )
      assert.strictEqual(yield* unlessAway(Deferred.await(finished), look, late), "done")
      assert.strictEqual(looks, 3)
    }).pipe(Effect.provideService(Patience, 5)))

  it.live("is answered in time by work that can't be interrupted, too, and by each look that finds it away", () =>
    Effect.gen(function*() {
      const stuck = Effect.uninterruptible(Effect.never)
      assert.strictEqual(yield* unlessAway(stuck, isAway, late), "late")
      const looks = [Effect.succeed(false), Effect.die("broken"), isAway]
      const look = Effect.suspend(() => looks.shift() ?? isAway)
      assert.strictEqual(yield* unlessAway(stuck, look, late), "late")
      assert.lengthOf(looks, 0)
    }).pipe(Effect.provideService(Patience, 5)))

  it.live("is interrupted with its caller", () =>
    Effect.gen(function*() {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const work = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
      const fiber = yield* Effect.fork(unlessAway(work, isAway, late))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      yield* Deferred.await(interrupted)
    }))
})
