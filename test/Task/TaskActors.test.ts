import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { wait } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenSubtask, givenTask, processRestarted } from "../support/GivenTasks.ts"
import { asks, asksSaying, call, hanging, says, scriptedModel } from "../support/ScriptedModel.ts"
import { kindsOf, makeDue, rowOf, rowsOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const look = (ran: Array<string>) => tool("look", "read", Effect.sync(() => (ran.push("look"), "nothing there")))

const send = (ran: Array<string>) => tool("send", "outside", Effect.sync(() => (ran.push("send"), "sent")))

inWorld("TaskActors", (test) => {
  test("runs a task to its end and journals every step of it", function*() {
    const tasks = yield* Tasks
    const scripted = scriptedModel(asksSaying("I look.", call("c1", "look")), says("Nothing."))
    const entities = yield* makeEntities({ scripted, tools: [look([])] })
    const id = yield* givenTask("Look for it")
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model", "results", "model"])
    assert.deepInclude(yield* rowOf(id), { status: "completed", progress: 100, wake_at: null, attempts: 0, seq: 4 })
    const task = yield* tasks.find(id)
    assert.deepStrictEqual(task.outputs.map(({ content }) => content), ["Nothing."])
    assert.deepStrictEqual(yield* tasks.findWithoutLogs(id), { ...task, logs: [] })
    const used = { input_tokens: 20, output_tokens: 10, model_calls: 2, tool_calls: 1, cost: null }
    assert.deepInclude(task, {
      plan: "I look.",
      iteration_count: 2,
      tokens_used: 30,
      usage: { ...used, total: used }
    })
  })

  test("raises the progress with each iteration, and fails at the limits of the kind of task", function*() {
    const limits = { soft: 1, hard: 4, recursion: 3 }
    const scripted = scriptedModel(...Array.from({ length: 9 }, (_, turn) => asks(call(`c${turn}`, "look"))))
    const entities = yield* makeEntities({
      scripted,
      tools: [look([])],
      limits: { parent: { soft: 1, hard: 2, recursion: 25 }, subagent: limits }
    })
    const parent = yield* givenTask()
    yield* entities.wake(yield* claim(parent))
    assert.deepInclude(yield* rowOf(parent), { status: "completed", progress: 100 })

    const subtask = yield* givenSubtask(parent)
    yield* entities.wake(yield* claim(subtask))
    const error = "The recursion limit of 3 steps was reached. Retry the task to continue, or split it."
    assert.deepInclude(yield* rowOf(subtask), { status: "failed", error, progress: 48 })
  })

  test("begins no second loop while one runs", function*() {
    const { seen, turn } = hanging()
    const entities = yield* makeEntities({ scripted: scriptedModel(turn, turn) })
    const id = yield* givenTask()
    const first = yield* claim(id)
    const fiber = yield* Effect.fork(entities.wake(first))
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 1)
    assert.strictEqual(yield* entities.wake(first), "released")
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "released")
    assert.deepStrictEqual(seen, { begun: 1, interrupted: 0 })
    yield* Fiber.interrupt(fiber)
  })

  test("writes nothing when woken twice by the same claim", function*() {
    const entities = yield* makeEntities({ scripted: scriptedModel(says("Once."), says("Twice.")) })
    const id = yield* givenTask()
    const claimed = yield* claim(id)
    yield* entities.wake(claimed)
    const steps = yield* stepsOf(id)
    assert.strictEqual(yield* entities.wake(claimed), "fenced")
    assert.deepStrictEqual(yield* stepsOf(id), steps)
  })

  test("resumes after a kill from the last step that was journalled, and repeats none", function*() {
    const ran: Array<string> = []
    const { seen, turn } = hanging()
    const scripted = scriptedModel(asks(call("c1", "look"), call("c2", "send")), turn, says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [look(ran), send(ran)] })
    const id = yield* givenTask()
    const fiber = yield* Effect.fork(entities.wake(yield* claim(id)))
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 1)
    yield* Fiber.interrupt(fiber)
    yield* eventually(Effect.sync(() => seen.interrupted), (interrupted) => interrupted === 1)

    yield* processRestarted
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(ran.sort(), ["look", "send"])
    const steps = yield* stepsOf(id)
    assert.deepStrictEqual(steps.filter(({ kind }) => kind === "model").length, 2)
    assert.deepStrictEqual(
      steps.flatMap((step) => step.kind === "woken" ? [step.reason] : []),
      ["first", "recovery"]
    )
    assert.deepInclude(yield* rowOf(id), { status: "completed", progress: 100 })
  })

  test("counts a step once that was killed between the commit and its answer", function*() {
    const line = yield* Wire
    const ran: Array<string> = []
    const scripted = scriptedModel(asks(call("c1", "send")), says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [send(ran)] })
    const id = yield* givenTask()
    const claimed = yield* claim(id)
    const gate = yield* Effect.makeLatch(false)
    let appends = 0
    line.before = ({ name }) => name.startsWith("journal_append") && ++appends === 1 ? gate.await : Effect.void
    const fiber = yield* Effect.fork(entities.wake(claimed))
    yield* eventually(Effect.sync(() => appends), (count) => count === 1)
    yield* Fiber.interrupt(fiber)
    yield* gate.open
    yield* eventually(stepsOf(id), (steps) => steps.length === 2)

    yield* entities.wake(yield* claim(id))
    assert.deepStrictEqual(ran, ["send"])
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model", "woken", "started", "results", "model"])
    assert.strictEqual(scripted.requests.length, 2)
  })

  test("ends in the middle of a step when it is interrupted, and writes nothing more", function*() {
    const { seen, turn } = hanging()
    const entities = yield* makeEntities({ scripted: scriptedModel(turn) })
    const id = yield* givenTask()
    const claimed = yield* claim(id)
    const fiber = yield* Effect.fork(entities.wake(claimed))
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 1)
    yield* entities.interrupt({ ...claimed, epoch: claimed.epoch - 1 })
    assert.deepStrictEqual(seen, { begun: 1, interrupted: 0 }, "an interruption of an earlier claim")
    yield* entities.interrupt(claimed)
    assert.strictEqual(yield* Fiber.join(fiber), "released")
    assert.deepStrictEqual(seen, { begun: 1, interrupted: 1 })
    assert.deepStrictEqual(yield* kindsOf(id), ["woken"])
    yield* entities.interrupt(claimed)
  })

  test("parks a task that waits for a long time until its timer is due", function*() {
    const scripted = scriptedModel(asks(call("w1", "wait", { seconds: 3_600 })))
    const entities = yield* makeEntities({ scripted, tools: [wait] })
    const id = yield* givenTask()
    const before = yield* Clock.currentTimeMillis
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    const after = yield* Clock.currentTimeMillis
    const row = yield* rowOf(id)
    assert.deepInclude(row, { status: "running", attempts: 0 })
    // The database adds the time that is left to its own clock, a moment later.
    const slack = 10_000
    assert.isAtLeast(row.wake_at?.getTime() ?? 0, before + 3_600_000 - 1)
    assert.isAtMost(row.wake_at?.getTime() ?? 0, after + 3_600_000 + slack)

    // Woken before its time, it goes back to sleep until then.
    yield* makeDue(id)
    yield* entities.wake(yield* claim(id))
    const again = (yield* rowOf(id)).wake_at?.getTime() ?? 0
    assert.closeTo(again, row.wake_at?.getTime() ?? 0, slack)
    assert.strictEqual(scripted.requests.length, 1)
  })

  test("consumes a command that answers no open call, and continues without it", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    const body = JSON.stringify({ kind: "answered", toolCallId: "nobody", text: "Hello?" })
    yield* query("insert into inbox (task_id, key, number, body) values ($1, 'answered:0', 1, $2)", [id, body])
    yield* query("update actors set inbox_sent = 1 where task_id = $1", [id])
    const entities = yield* makeEntities({ scripted: scriptedModel(says("Done.")) })
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.strictEqual((yield* rowsOf(id))["inbox"], 0)
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
  })
})
