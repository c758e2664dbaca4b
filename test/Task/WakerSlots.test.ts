import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Layer } from "effect"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import { Draining } from "../../src/Task/Actor/Draining.ts"
import { TaskActors } from "../../src/Task/Actor/TaskActors.ts"
import { type Claim, Claims } from "../../src/Task/Claim/Claims.ts"
import { FirstClaims } from "../../src/Task/Claim/FirstClaims.ts"
import { Shards } from "../../src/Task/Claim/Shards.ts"
import { Waker } from "../../src/Task/Claim/Waker.ts"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { claimOf } from "./claims.ts"

/**
 * Runs a waker over due tasks without hints, and answers how often it scanned. During its second scan the first task
 * ends, which frees a slot that this scan does not know of.
 */
const scansOf = (due: ReadonlyArray<Claim>, maxActive: number) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const left = [...due]
    const [first] = left
    const ended = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const begun = yield* Effect.makeSemaphore(due.length)
    yield* begun.take(due.length)
    let scans = 0
    const claims = Layer.succeed(Claims, {
      take: ({ active, free, perUser }) =>
        Effect.suspend(() => {
          scans += 1
          const slots = [...active.values()]
          const claimed = left.filter(({ creator }, index) => {
            if (scans === 1) return index === 0
            const isFree = slots.filter((one) => one === creator).length < perUser
            if (isFree) slots.push(creator)
            return isFree
          }).slice(0, free)
          left.splice(0, left.length, ...left.filter((claim) => !claimed.includes(claim)))
          const end = scans === 2 ? Effect.zipRight(Deferred.succeed(ended, undefined), Effect.yieldNow()) : Effect.void
          return Effect.as(Effect.zipRight(end, Effect.sleep(1)), { claims: claimed, hasMore: false })
        }),
      release: () => Effect.void,
      stale: () => Effect.succeed([])
    })
    const actors = Layer.succeed(TaskActors, {
      begin: (claim, settled) =>
        Effect.zipRight(begun.release(1), Deferred.await(claim === first ? ended : over)).pipe(
          Effect.zipRight(Effect.sync(() => settled("settled"))),
          Effect.forkIn(scope),
          Effect.asVoid
        ),
      interrupt: () => {}
    })
    const shards = Layer.succeed(Shards, {
      address: "",
      of: () => 1,
      owns: () => true,
      holds: () => true,
      owned: () => [1],
      holdsMoreThan: () => false
    })
    const layer = Waker.layer({ maxActive, pollInterval: Duration.hours(1), grace: Duration.zero }).pipe(
      Layer.provide([claims, actors, shards, Draining.layer, FirstClaims.layer]),
      Layer.provideMerge(Layer.provide(TaskSignals.layer, Signals.layerLocal))
    )
    yield* Effect.gen(function*() {
      yield* begun.take(1)
      const signals = yield* TaskSignals
      // Shards were gained at the start, which may cause one scan or two.
      if (scans === 1) signals.wake([1])
      yield* begun.take(due.length - 1)
      yield* Deferred.succeed(over, undefined)
    }).pipe(Effect.provide(layer), Effect.timeout("10 seconds"))
    return scans
  })

describe("A slot that is freed during a scan", () => {
  it.scopedLive("is filled, when the scan stopped because no slot was free", () =>
    Effect.gen(function*() {
      assert.isAtMost(yield* scansOf([claimOf(1, "amy"), claimOf(2, "bob"), claimOf(3, "cid")], 2), 4)
    }))

  it.scopedLive("is filled, when the scan stopped because the user had no free slot", () =>
    Effect.gen(function*() {
      assert.isAtMost(yield* scansOf([1, 2, 3, 4].map((number) => claimOf(number, "amy")), 4), 4)
    }))
})
