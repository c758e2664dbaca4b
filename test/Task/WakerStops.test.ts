import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { becomes, gated, wokenOf } from "./waker.ts"

inWorld("Waker", (test) => {
  test("releases its tasks when it stops, without an attempt counted, and another worker resumes them", function*() {
    const { calls, turns } = yield* gated
    const ran: Array<string> = []
    const look = tool("look", "read", Effect.sync(() => (ran.push("look"), "nothing")))
    const first = yield* startWorker({
      scripted: scriptedModel(asks(call("c1", "look")), ...turns(1)),
      tools: [look]
    })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    yield* first.stop
    assert.strictEqual(calls.underWay, 0)
    const row = yield* rowOf(id)
    assert.deepInclude(row, { status: "running", attempts: 0, runner: null, epoch: 1, seq: 3 })
    assert.isNotNull(row.wake_at)

    yield* startWorker({ scripted: scriptedModel(says("Done.")), tools: [look] })
    yield* becomes(id, "completed")
    assert.deepStrictEqual(yield* wokenOf(id), ["first", "resume"])
    assert.deepStrictEqual(ran, ["look"])
  })

  test("lets the step in hand end when it stops, and begins no other", function*() {
    const { gate, calls, turn } = yield* gated
    const asking: Turn = (request) => Effect.zipRight(turn(request), asks(call("c1", "look"))(request))
    const scripted = scriptedModel(asking)
    const worker = yield* startWorker({ scripted, tools: [tool("look", "read", Effect.succeed("nothing"))] })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    const stopping = yield* Effect.fork(worker.stop)
    yield* eventually(Effect.sync(worker.draining.isDraining), (draining) => draining)
    yield* gate.open
    yield* Fiber.join(stopping)
    assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "model"])
    assert.deepInclude(yield* rowOf(id), { status: "running", attempts: 0, runner: null })
  })
})
