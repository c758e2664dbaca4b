import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber, Option } from "effect"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { givenSubtask, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { becomes, rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { gated, wokenOf } from "./waking.ts"

inWorld("Waker", (test) => {
  test("interrupts a model call within two seconds of the cancel, and those of subtasks too", function*() {
    const tasks = yield* Tasks
    const signals = yield* TaskSignals
    const { calls, turns } = yield* gated
    const worker = yield* startWorker({ scripted: scriptedModel(...turns(3)), pollInterval: "1 hour" })
    const id = yield* givenTask()
    const child = yield* givenSubtask(id)
    signals.wake([(yield* rowOf(child)).shard])
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 2)
    const before = yield* Clock.currentTimeMillis
    const cancelled = yield* tasks.cancel(id, Option.none())
    assert.strictEqual(cancelled.status, "failed")
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 0)
    assert.isBelow((yield* Clock.currentTimeMillis) - before, 2_000)
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
    for (const task of [id, child]) {
      assert.deepStrictEqual((yield* stepsOf(task)).map(({ kind }) => kind), ["woken", "cancelled"])
    }
    assert.strictEqual(calls.begun, 2)
  })

  test("interrupts a run whose task another epoch holds, without a signal", function*() {
    const { query } = yield* Wire
    const { calls, turns } = yield* gated
    yield* startWorker({ scripted: scriptedModel(...turns(1)) })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    yield* query("update actors set epoch = epoch + 1, wake_at = null where task_id = $1", [id])
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 0)
  })

  test("interrupts no later run of a task for an earlier claim that is stale", function*() {
    const line = yield* Wire
    const tasks = yield* Tasks
    const { revoked } = yield* TaskSignals
    const { calls, gate, turn } = yield* gated
    const [asked, looked] = yield* Effect.all([Effect.makeLatch(false), Effect.makeLatch(false)])
    const question: Turn = (request) =>
      Effect.zipRight(asked.await, asks(call("q1", "ask_human", { question: "Which?" }))(request))
    const scripted = scriptedModel(question, turn)
    yield* startWorker({ scripted, tools: [askHuman] })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => scripted.requests.length), (count) => count === 1)
    let looks = 0
    line.before = ({ name, values }) =>
      name === "claims_stale" && JSON.stringify(values).includes(id) && looks++ === 0 ? looked.await : Effect.void
    revoked([id])
    yield* eventually(Effect.sync(() => looks), (count) => count > 0)
    yield* asked.open
    yield* becomes(id, "waiting_input")
    yield* tasks.answer(id, "That", Option.none())
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    const before = looks
    yield* looked.open
    yield* eventually(Effect.sync(() => looks), (count) => count > before + 1)
    yield* gate.open
    yield* becomes(id, "completed")
    assert.deepStrictEqual(yield* wokenOf(id), ["first", "resume"])
  })

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

  test("gives its shards away when it stops, lets the step in hand end, and begins no other", function*() {
    const { gate, calls, turn } = yield* gated
    const asking: Turn = (request) => Effect.zipRight(turn(request), asks(call("c1", "look"))(request))
    const scripted = scriptedModel(asking)
    const worker = yield* startWorker({ scripted, tools: [tool("look", "read", Effect.succeed("nothing"))] })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    const stopping = yield* Effect.fork(worker.stop)
    yield* eventually(Effect.sync(worker.draining.isDraining), (draining) => draining)
    yield* eventually(worker.entities, (entities) => entities === 0)
    assert.strictEqual(calls.underWay, 1)
    yield* gate.open
    yield* Fiber.join(stopping)
    assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "model"])
    assert.deepInclude(yield* rowOf(id), { status: "running", attempts: 0, runner: null })
  })
})
