import { assert } from "@effect/vitest"
import { Clock } from "effect"
import { wait } from "../../src/Tool/ParkingTools.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { makeDue, rowOf, rowsOf } from "../support/TaskRows.ts"
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
