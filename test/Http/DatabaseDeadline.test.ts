import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { DatabaseDeadline, unlessUnavailable } from "../../src/Http/DatabaseDeadline.ts"

const onTimeout = Effect.succeed("timed out")
const isUnavailable = Effect.succeed(true)

describe("A request with a database that may be unavailable", () => {
  it.live("continues for as long as the database answers", () =>
    Effect.gen(function*() {
      const finished = yield* Deferred.make<string>()
      let checks = 0
      const check = Effect.suspend(() =>
        ++checks < 3 ? Effect.succeed(false) : Effect.as(Deferred.succeed(finished, "done"), false)
      )
      assert.strictEqual(yield* unlessUnavailable(Deferred.await(finished), check, onTimeout), "done")
      assert.strictEqual(checks, 3)
    }).pipe(Effect.provideService(DatabaseDeadline, 5)))

  it.live("is answered in time by work that can't be interrupted, too, and by each check that finds it unavailable", () =>
    Effect.gen(function*() {
      const stuck = Effect.uninterruptible(Effect.never)
      assert.strictEqual(yield* unlessUnavailable(stuck, isUnavailable, onTimeout), "timed out")
      const checks = [Effect.succeed(false), Effect.die("broken"), isUnavailable]
      const check = Effect.suspend(() => checks.shift() ?? isUnavailable)
      assert.strictEqual(yield* unlessUnavailable(stuck, check, onTimeout), "timed out")
      assert.lengthOf(checks, 0)
    }).pipe(Effect.provideService(DatabaseDeadline, 5)))

  it.live("is interrupted with its caller", () =>
    Effect.gen(function*() {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const work = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
      const fiber = yield* Effect.fork(unlessUnavailable(work, isUnavailable, onTimeout))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      yield* Deferred.await(interrupted)
    }))
})
