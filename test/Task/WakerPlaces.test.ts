import { assert, describe, it } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { Deferred, Duration, Effect, Layer, Stream } from "effect"
import { Claim, Claims } from "../../src/Task/Claims.ts"
import { Draining } from "../../src/Task/Draining.ts"
import { Shards } from "../../src/Task/Shards.ts"
import { type RunEnd, TaskActors } from "../../src/Task/TaskActors.ts"
import { TaskSignals } from "../../src/Task/TaskSignals.ts"
import { Waker } from "../../src/Task/Waker.ts"

const claimOf = (number: number, creator: string) =>
  new Claim({
    taskId: TaskId.make(`00000000-0000-7000-8000-00000000000${number}`),
    epoch: 1,
    seq: 1,
    now: 0,
    status: "running",
    progress: 0,
    attempts: 1,
    deaths: 0,
    loneDeaths: 0,
    claimKind: null,
    inboxSent: 0,
    creator: UserId.make(creator),
    type: "task",
    agentType: null,
    input: "Do it",
    context: null,
    projectId: null,
    attachments: [],
    tokenBudget: null,
    maxIterations: null
  })

/**
 * A waker over due tasks that nobody tells of. While it looks for the second time the first task's actor ends, so that
 * a place falls free which that look knows nothing of.
 */
const wakes = (due: ReadonlyArray<Claim>, maxActive: number) =>
  Effect.gen(function*() {
    const left = [...due]
    const [first] = left
    const ended = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const begun = yield* Effect.makeSemaphore(due.length)
    yield* begun.take(due.length)
    let looks = 0
    const claims = Layer.succeed(Claims, {
      take: ({ active, free, perUser }) =>
        Effect.suspend(() => {
          looks += 1
          const places = [...active.values()]
          const taken = left.filter(({ creator }, index) => {
            if (looks === 1) return index === 0
            const isFree = places.filter((one) => one === creator).length < perUser
            if (isFree) places.push(creator)
            return isFree
          }).slice(0, free)
          left.splice(0, left.length, ...left.filter((claim) => !taken.includes(claim)))
          const end = looks === 2 ? Effect.zipRight(Deferred.succeed(ended, undefined), Effect.yieldNow()) : Effect.void
          return Effect.as(Effect.zipRight(end, Effect.sleep(1)), { claims: taken, hasMore: false })
        }),
      release: () => Effect.void,
      stale: () => Effect.succeed([])
    })
    const actors = Layer.succeed(TaskActors, {
      wake: (claim) =>
        Effect.zipRight(begun.release(1), Deferred.await(claim === first ? ended : over)).pipe(
          Effect.as<RunEnd>("settled")
        ),
      interrupt: () => Effect.void,
      epochOf: () => null,
      watch: () => Stream.empty
    })
    const shards = Layer.succeed(Shards, {
      address: "",
      of: () => 1,
      owns: () => true,
      owned: () => [1],
      holdsMoreThan: () => false
    })
    const layer = Waker.layer({ maxActive, pollInterval: Duration.hours(1) }).pipe(
      Layer.provide([claims, actors, shards, Draining.layer]),
      Layer.provideMerge(TaskSignals.layerLocal)
    )
    yield* Effect.gen(function*() {
      yield* begun.take(1)
      const signals = yield* TaskSignals
      // Shards were gained at the start, which may count as one look or as two.
      if (looks === 1) signals.wake([1])
      yield* begun.take(due.length - 1)
      yield* Deferred.succeed(over, undefined)
    }).pipe(Effect.provide(layer), Effect.timeout("10 seconds"))
    return looks
  })

describe("A place that falls free during a look", () => {
  it.scopedLive("is filled by another, when the look stopped for want of a place", () =>
    Effect.gen(function*() {
      assert.isAtMost(yield* wakes([claimOf(1, "amy"), claimOf(2, "bob"), claimOf(3, "cid")], 2), 4)
    }))

  it.scopedLive("is filled by another, when the look stopped for want of one for the user", () =>
    Effect.gen(function*() {
      assert.isAtMost(yield* wakes([1, 2, 3, 4].map((number) => claimOf(number, "amy")), 4), 4)
    }))
})
