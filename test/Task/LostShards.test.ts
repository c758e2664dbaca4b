import { ShardingConfig } from "@effect/cluster"
import { assert } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Stream } from "effect"
import { Shards } from "../../src/Task/Row/Shards.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, hanging, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { kindsOf, rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const look = (ran: Array<string>) => tool("look", "read", Effect.sync(() => (ran.push("look"), "nothing there")))

inWorld("TaskActors", (test) => {
  test("releases a task after its step once its shard is lost, and ends the streams of its watchers", function*() {
    const shards = yield* Shards
    let holds = true
    const moving = Shards.of({ ...shards, holds: () => holds })
    const gate = yield* Effect.makeLatch(false)
    const slow: Turn = (request) => Effect.zipRight(gate.await, asks(call("c1", "look"))(request))
    const scripted = scriptedModel(slow, says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [look([])] }).pipe(Effect.provideService(Shards, moving))
    const id = yield* givenTask()
    const run = yield* Effect.fork(entities.wake(yield* claim(id)))
    yield* eventually(Effect.sync(() => scripted.requests.length), (count) => count === 1)
    let ends = 0
    const watching = yield* Effect.fork(
      Stream.runDrain(Stream.ensuring(entities.watchOnce(id), Effect.sync(() => ends++)))
    )
    yield* Effect.sleep("50 millis")
    holds = false
    yield* eventually(Effect.sync(() => ends), (count) => count === 1)
    yield* Fiber.join(watching)
    assert.strictEqual(yield* entities.wake(yield* claim(yield* givenTask())), "released", "a claim of the lost shard")
    yield* gate.open
    assert.strictEqual(yield* Fiber.join(run), "released")
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model"])

    holds = true
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.include(yield* rowOf(id), { status: "completed" })
  })

  test("leases a task while the step goes on whose shard was lost, again and again, and runs others meanwhile", function*() {
    const { query } = yield* Wire
    const shards = yield* Shards
    const lost = new Set<number>()
    const gate = yield* Effect.makeLatch(false)
    const slow: Turn = (request) => Effect.zipRight(gate.await, says("Done.")(request))
    const entities = yield* makeEntities({ scripted: scriptedModel(slow, says("Meanwhile.")) }).pipe(
      Effect.provideService(Shards, Shards.of({ ...shards, holds: (shard) => !lost.has(shard) })),
      Effect.updateService(ShardingConfig.ShardingConfig, (config) => ({
        ...config,
        shardLockRefreshInterval: Duration.millis(100),
        shardLockExpiration: Duration.seconds(10)
      }))
    )
    const id = yield* givenTask()
    const leasedUntil = Effect.map(
      query<{ at: Date | null }>("select leased_until as at from actors where task_id = $1", [id]),
      ([row]) => row?.at?.getTime() ?? 0
    )
    const run = yield* Effect.fork(entities.wake(yield* claim(id)))
    yield* eventually(kindsOf(id), (kinds) => kinds.length === 1)
    assert.strictEqual(yield* leasedUntil, 0)
    const now = yield* Clock.currentTimeMillis
    lost.add(shards.of(id))
    const first = yield* eventually(leasedUntil, (at) => at > 0)
    assert.isAtLeast(first, now + 9_000)
    yield* eventually(leasedUntil, (at) => at > first)

    lost.clear()
    const other = yield* givenTask()
    assert.strictEqual(yield* entities.wake(yield* claim(other)), "settled")
    yield* gate.open
    assert.strictEqual(yield* Fiber.join(run), "settled")
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model"])
  })

  test("interrupts a step that goes on for too long after its shard was lost, and one whose task is cancelled meanwhile", function*() {
    const shards = yield* Shards
    let holds = true
    const { seen, turn } = hanging()
    const makeWith = (stepHandover: Duration.Duration) =>
      makeEntities({ scripted: scriptedModel(turn), stepHandover }).pipe(
        Effect.provideService(Shards, Shards.of({ ...shards, holds: () => holds }))
      )
    const begun = (count: number) => eventually(Effect.sync(() => seen.begun), (begun) => begun === count)
    const patient = yield* makeWith(Duration.minutes(5))
    const cancelled = yield* claim(yield* givenTask())
    const first = yield* Effect.fork(patient.wake(cancelled))
    yield* begun(1)
    const entities = yield* makeWith(Duration.millis(1))
    const second = yield* Effect.fork(entities.wake(yield* claim(yield* givenTask())))
    yield* begun(2)
    holds = false
    assert.strictEqual(yield* Fiber.join(second), "released")
    assert.strictEqual(seen.interrupted, 1)
    yield* patient.interrupt(cancelled)
    assert.strictEqual(yield* Fiber.join(first), "released")
    assert.strictEqual(seen.interrupted, 2)
  })
})
