import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Fenced, Journal } from "../../src/Task/Journal/Journal.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { claim, givenSubtask, givenTask, givenWaiting, stepAfter } from "../support/GivenTasks.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

inWorld("TaskCommands.remove", (test) => {
  test("removes an archived task and its subtasks with every row they have, and neither keys nor anything of others", function*() {
    const commands = yield* TaskCommands
    const { query } = yield* Wire
    const other = yield* givenWaiting()
    yield* commands.answer(other, "This one", null)
    const id = yield* givenWaiting()
    yield* commands.answer(id, "This one", null)
    const child = yield* givenSubtask(id)
    const grandchild = yield* givenSubtask(child)
    for (const task of [id, other]) {
      yield* query("insert into idempotency_keys (caller, key, digest, task_id) values ('alice', $2, 'd', $1)", [
        task,
        task
      ])
    }
    for (const task of [child, grandchild]) {
      yield* query("insert into steps (task_id, seq, body) values ($1, 1, '{}')", [task])
      yield* query("insert into inbox (task_id, key, number, body) values ($1, 'k', 1, '{}')", [task])
    }
    const kept = yield* rowsOf(other)

    assert.isFalse(yield* commands.remove(id), "it is not archived")
    assert.strictEqual((yield* rowsOf(grandchild))["steps"], 1)
    assert.isTrue(yield* commands.archive(id))
    assert.isFalse(yield* commands.archive(id))
    assert.isTrue(yield* commands.remove(id))
    for (const task of [id, child, grandchild]) {
      // The key lives on, so that a late repetition of the request makes no second task.
      const keys = task === id ? 1 : 0
      assert.deepStrictEqual(yield* rowsOf(task), {
        tasks: 0,
        actors: 0,
        steps: 0,
        inbox: 0,
        idempotency_keys: keys,
        notifications: 0
      })
    }
    assert.deepStrictEqual(yield* rowsOf(other), kept)
    assert.isFalse(yield* commands.remove(id))
  })

  test("fences out the actor that still runs", function*() {
    const commands = yield* TaskCommands
    const journal = yield* Journal
    const id = yield* givenTask()
    const held = yield* claim(id)
    yield* commands.archive(id)
    yield* commands.remove(id)
    assert.instanceOf(yield* Effect.flip(journal.append(stepAfter(held, { kind: "results", results: [] }))), Fenced)
    assert.strictEqual((yield* rowsOf(id))["steps"], 0)
  })
})
