import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber, Stream } from "effect"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { wait } from "../../src/Tool/ParkingTools.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask, givenWaiting } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { makeDue, rowOf, rowsOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

inWorld("TaskActors, waiting", (test) => {
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

  test("uses an answer from the inbox as the result of the call that asked", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenWaiting("Which one?")
    yield* commands.answer(id, "The second", null)
    const scripted = scriptedModel(says("The second it is."))
    const entities = yield* makeEntities({ scripted })
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(scripted.requests[0]?.messages.map(({ content, role }) => [role, content]), [
      ["user", "Do it"],
      ["assistant", ""],
      ["tool", "The second"]
    ])
    assert.strictEqual((yield* rowsOf(id))["inbox"], 0)
    const steps = yield* stepsOf(id)
    assert.deepStrictEqual(steps.map(({ kind }) => kind), ["woken", "model", "answered", "woken", "results", "model"])
    assert.deepStrictEqual(steps.flatMap((step) => step.kind === "woken" ? [step.reason] : []), ["first", "resume"])
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
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

  test("streams the model's text to its watchers, and requests no stream without any", function*() {
    const gate = yield* Effect.makeLatch(false)
    const speak: Turn = (request) =>
      Effect.gen(function*() {
        yield* gate.await
        yield* request.onText?.("Hel") ?? Effect.void
        yield* request.onText?.("lo") ?? Effect.void
        return yield* says("Hello")(request)
      })
    const scripted = scriptedModel(speak)
    const entities = yield* makeEntities({ scripted })
    const id = yield* givenTask()
    const received: Array<string> = []
    const watcher = yield* Effect.fork(
      Stream.runForEach(entities.watch(id), (delta) => Effect.sync(() => received.push(delta)))
    )
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    const fiber = yield* Effect.fork(entities.wake(yield* claim(id)))
    yield* gate.open
    yield* Fiber.join(fiber)
    yield* eventually(Effect.sync(() => received.join("")), (text) => text === "Hello")
    yield* Fiber.interrupt(watcher)

    const unwatched = yield* givenTask()
    yield* entities.wake(yield* claim(unwatched))
    assert.isFalse("onText" in (scripted.requests.at(-1) ?? {}))
  })
})
