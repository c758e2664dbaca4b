import { assert } from "@effect/vitest"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { stepText } from "@troupe/domain/StepText"
import { Effect } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { wait } from "../../src/Tool/ParkingTools.ts"
import { claim, givenCompleted, givenTask, givenWaiting, stepAfter } from "../support/GivenTasks.ts"
import { asks, call, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const waitOf = (id: TaskId) =>
  Effect.map(Effect.flatMap(Tasks, (tasks) => tasks.find(id)), ({ waiting_for }) => waiting_for)

/** Fails for a task that does not wait. */
const reasonOf = (id: TaskId) => Effect.map(waitOf(id), (wait) => wait ?? assert.fail(`Task ${id} does not wait`))

inWorld("waiting_for of a task", (test) => {
  test("is null before a task is late, while it runs, and at its end", function*() {
    const id = yield* givenTask()
    assert.isNull(yield* waitOf(id))
    yield* claim(id)
    assert.isNull(yield* waitOf(id))
    assert.isNull(yield* waitOf(yield* givenCompleted("It is done")))
  })

  test("names the person who is to answer, until the answer is there", function*() {
    const { query } = yield* Wire
    const id = yield* givenWaiting("Which one?")
    const asked = (yield* (yield* Tasks).find(id)).updated_at
    assert.deepStrictEqual(yield* reasonOf(id), {
      reason: "answer",
      since: asked,
      until: null,
      who: UserId.make("alice"),
      count: null,
      limit: null,
      detail: "Waits for an answer of alice"
    })
    yield* query("update tasks set assignee = 'bob' where id = $1", [id])
    assert.deepInclude(yield* reasonOf(id), { who: UserId.make("bob"), detail: "Waits for an answer of bob" })
    yield* (yield* TaskCommands).answer(id, "This one", null)
    assert.isNull(yield* waitOf(id))
  })

  test("asks only the creator for an approval where somebody else became the assignee by answering", function*() {
    const { query } = yield* Wire
    const id = yield* givenWaiting("Send it?")
    yield* query("update tasks set assignee = 'bob', assigned_by_answer = true where id = $1", [id])
    yield* query("update actors set asks_approval = true where task_id = $1", [id])
    assert.deepInclude(yield* reasonOf(id), { who: UserId.make("alice"), detail: "Waits for the approval of alice" })
  })

  test("says until when a task waits that chose a time, and when one that crashed is tried again", function*() {
    const entities = yield* makeEntities({
      scripted: scriptedModel(asks(call("w1", "wait", { seconds: 60 }))),
      tools: [wait]
    })
    const asleep = yield* givenTask()
    yield* entities.wake(yield* claim(asleep))
    const timer = yield* reasonOf(asleep)
    assert.deepInclude(timer, { reason: "timer", who: null })
    assert.isTrue((timer.until ?? "") > (timer.since))

    const crashed = yield* givenTask()
    const held = yield* claim(crashed)
    yield* (yield* Journal).append(
      stepAfter(held, { kind: "crashed", reason: "boom", retryAt: 0, attempt: 3, attempts: 4 }, {
        wake: { _tag: "After", millis: 60_000 },
        attempts: 2
      })
    )
    const retry = yield* reasonOf(crashed)
    assert.deepInclude(retry, { reason: "retry", count: 3, limit: 4 })
    assert.strictEqual(retry.detail, `Crashed; attempt 3 of 4 starts at ${retry.until}`)
    // A crash of an earlier version, or the end of its process, has no number of attempts.
    yield* (yield* Wire).query("update steps set body = $2 where task_id = $1 and seq = 2", [
      crashed,
      stepText({ kind: "crashed", reason: "boom", retryAt: 0, deaths: 2 })
    ])
    const unlimited = yield* reasonOf(crashed)
    assert.deepInclude(unlimited, { count: 3, limit: null, detail: `Crashed; attempt 3 starts at ${retry.until}` })
  })

  test("counts the subtasks that it waits for", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    yield* query(
      "update actors set status = 'waiting_subagents', wake_at = null, subtasks_open = 3 where task_id = $1",
      [id]
    )
    assert.deepInclude(yield* reasonOf(id), {
      reason: "subtasks",
      count: 3,
      limit: null,
      detail: "Waits for 3 subtasks"
    })
  })

  test("tells a task in the queue of a worker from one that no worker takes", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    yield* query("update actors set queued_by = '10.0.0.1:1' where task_id = $1", [id])
    for (let place = 0; place < 3; place++) {
      yield* query(
        "update actors set runner = '10.0.0.1:1' where task_id = $1",
        [(yield* claim(yield* givenTask())).taskId]
      )
    }
    const queued = {
      reason: "place" as const,
      count: 3,
      limit: 4,
      detail: "Waits for a free place on the worker 10.0.0.1:1: 3 of 4 places taken; tasks of one user take at most 3"
    }
    assert.deepInclude(yield* reasonOf(id), queued)
    const { items } = yield* (yield* Tasks).list({})
    assert.deepInclude(items.find((task) => task.id === id)?.waiting_for, queued)
    yield* query(
      "update actors set queued_by = null, wake_at = now() - interval '1 hour', updated_at = now() - interval '1 hour' where task_id = $1",
      [id]
    )
    assert.deepInclude(yield* reasonOf(id), { reason: "shard", detail: "No worker has taken the task" })
  })
})
