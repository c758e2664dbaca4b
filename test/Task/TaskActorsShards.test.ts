import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { Shards } from "../../src/Task/Claim/Shards.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, hanging, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { kindsOf, rowOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"

const look = tool("look", "read", Effect.succeed("nothing there"))

inWorld("The actors of a shard", (test) => {
  test("are released after their step once the shard is lost, and their watchers' streams end", function*() {
    const shards = yield* Shards
    let holds = true
    const moving = Shards.of({ ...shards, owns: () => holds, holds: () => holds })
    const gate = yield* Effect.makeLatch(false)
    const slow: Turn = (request) => Effect.zipRight(gate.await, asks(call("c1", "look"))(request))
    const scripted = scriptedModel(slow, says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [look] }).pipe(Effect.provideService(Shards, moving))
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

  test("are interrupted with the scope of their worker, and leave no fiber behind", function*() {
    const { seen, turn } = hanging()
    const worker = yield* startWorker({ scripted: scriptedModel(turn, turn) })
    const ids = [yield* givenTask(), yield* givenTask()]
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 2)
    yield* worker.stop
    assert.deepStrictEqual(seen, { begun: 2, interrupted: 2 })
    for (const id of ids) assert.deepInclude(yield* rowOf(id), { status: "running", attempts: 0, runner: null })
  })
})
