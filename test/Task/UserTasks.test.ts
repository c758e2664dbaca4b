import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MemberTasks } from "../../src/People/Team/Team.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { layerMemberTasks } from "../../src/Task/Command/UserTasks.ts"
import { alice, bob, givenCompleted, givenSubtask, givenTask, givenWaiting } from "../support/GivenTasks.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const ended = Effect.scoped(
  Effect.flatMap(Layer.build(layerMemberTasks), (context) =>
    Effect.provide(
      Effect.flatMap(MemberTasks, ({ end }) => end(alice)),
      context
    ))
)

inWorld("The removal of a member", (test) => {
  test("cancels the member's tasks with their subtasks, says why, and notifies nobody", function*() {
    const { query } = yield* Wire
    const [waiting, pending, completed] = [yield* givenWaiting(), yield* givenTask(), yield* givenCompleted()]
    const subtask = yield* givenSubtask(waiting)
    const before = yield* rowOf(completed)
    yield* query("delete from notifications")
    yield* ended
    for (const id of [waiting, pending, subtask]) {
      const { error, status } = yield* rowOf(id)
      assert.strictEqual(status, "failed")
      assert.strictEqual(error, "Cancelled: its creator is no longer a member of the team.")
    }
    assert.deepStrictEqual(yield* rowOf(completed), before)
    assert.deepStrictEqual(yield* query("select from notifications"), [])
  })

  test("leaves tasks of others alone, but no longer asks the member about those that go on", function*() {
    const { query } = yield* Wire
    const { cancel } = yield* TaskCommands
    const [open, over] = [yield* givenTask("Open", bob), yield* givenTask("Over", bob)]
    yield* query("update tasks set assignee = 'alice'")
    yield* cancel(over, "Cancelled.")
    yield* ended
    assert.strictEqual((yield* rowOf(open)).status, "pending")
    assert.deepStrictEqual(
      yield* query("select id, assignee from tasks order by id"),
      [{ id: open, assignee: null }, { id: over, assignee: "alice" }]
    )
  })
})
