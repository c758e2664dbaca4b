import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { timeLimit } from "../../src/Runtime/HotPath.ts"

const tellsWhenInterrupted = Effect.map(Deferred.make<void>(), (interrupted) => ({
  interrupted: Deferred.await(interrupted),
  work: Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
}))

describe("A time limit", () => {
  it.live("returns the result of work that is in time, whether it waits or not", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* timeLimit(Effect.succeed("now"), 60_000, () => "late"), "now")
      assert.strictEqual(yield* timeLimit(Effect.delay(Effect.succeed("soon"), 1), 60_000, () => "late"), "soon")
      assert.deepStrictEqual(yield* Effect.exit(timeLimit(Effect.fail("no"), 60_000, () => "late")), Exit.fail("no"))
      const dying = Effect.zipRight(Effect.sleep(1), Effect.die("broken"))
      assert.deepStrictEqual(yield* Effect.exit(timeLimit(dying, 60_000, () => "late")), Exit.die("broken"))
    }))

  it.live("leaves no timer behind", () =>
    Effect.gen(function*() {
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
      const before = timers()
      const works = [Effect.delay(Effect.void, 1), Effect.delay(Effect.fail("no"), 1)]
      for (let n = 0; n < 20; n++) {
        yield* Effect.forEach(works, (work) => Effect.exit(timeLimit(work, 60_000, () => undefined)))
        yield* Effect.timeoutOption(timeLimit(Effect.never, 60_000, () => undefined), 1)
      }
      assert.isBelow(timers() - before, 20)
    }))

  it.live("may be longer than the maximum of a timer", () =>
    Effect.gen(function*() {
      const work = Effect.delay(Effect.succeed("soon"), 20)
      assert.strictEqual(yield* timeLimit(work, Infinity, () => "late"), "soon")
    }))

  it.live("returns the time-out for work that is late, and interrupts it", () =>
    Effect.gen(function*() {
      const { interrupted, work } = yield* tellsWhenInterrupted
      assert.strictEqual(yield* timeLimit(work, 5, () => "late"), "late")
      yield* interrupted
    }))

  it.live("interrupts the work when its caller is interrupted, without waiting for what can't be", () =>
    Effect.gen(function*() {
      const { interrupted, work } = yield* tellsWhenInterrupted
      const begun = yield* Deferred.make<void>()
      const stuck = Effect.uninterruptible(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      const both = Effect.all([timeLimit(work, 60_000, () => "late"), timeLimit(stuck, 60_000, () => "late")], {
        concurrency: "unbounded"
      })
      const fiber = yield* Effect.fork(both)
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      yield* interrupted
    }))

  it.live("interrupts the work of a caller that is interrupted while the work begins", () =>
    Effect.gen(function*() {
      const { interrupted, work } = yield* tellsWhenInterrupted
      const fiber = yield* Effect.fork(Effect.withFiberRuntime<string>((caller) =>
        timeLimit(
          Effect.suspend(() => {
            caller.unsafeInterruptAsFork(caller.id())
            return work
          }),
          60_000,
          () => "late"
        )
      ))
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(fiber)))
      yield* interrupted
    }))
})
