import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { asks, call, type Turn } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { cast, dispatch } from "./conversations.ts"
import { anotherConnection, becomes, childrenOf, tools, waiters } from "./subtasksRevived.ts"

inWorld("Subtasks of a parent that is ended", (test) => {
  test("are ended with it even if they are made while the cancel waits for its row", function*() {
    const tasks = yield* Tasks
    const asked = yield* Effect.makeLatch(false)
    const slowly: Turn = (request) => Effect.zipRight(asked.await, asks(dispatch("a", "Hangs"))(request))
    const scripted = cast({ Plan: [slowly], Hangs: [() => Effect.never] })
    const other = yield* anotherConnection
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "running")
    // Holds the journal's dispatch back between its row's lock and its commit: step 3 has this key.
    yield* other("begin")
    yield* other("insert into steps (task_id, seq, body) values ($1, 3, 'x')", [id])
    yield* asked.open
    yield* waiters(1)
    const cancelling = yield* Effect.fork(tasks.cancel(id, Option.none()))
    yield* waiters(2)
    yield* other("rollback")
    yield* Fiber.join(cancelling)
    const [child = id] = yield* childrenOf(id, 1)
    assert.include((yield* stepsOf(id)).map(({ kind }) => kind), "dispatched")
    assert.strictEqual((yield* rowOf(child)).status, "failed")
  })

  test("by its own failure continue, for its retry, and end when it is archived", function*() {
    const tasks = yield* Tasks
    const dying = tool("dying", "read", Effect.never)
    const scripted = cast({ Plan: [asks(dispatch("a", "Hangs"), call("x", "dying"))], Hangs: [() => Effect.never] })
    const worker = yield* startWorker({ scripted, tools: [...tools, dying], maxCrashes: 0 })
    const id = yield* givenTask("Plan it")
    const [child = id] = yield* childrenOf(id, 1)
    yield* becomes(child, "running")
    const { query } = yield* Wire
    yield* query(
      "update actors set status = 'failed', error = 'x', wake_at = null, epoch = epoch + 1 where task_id = $1",
      [id]
    )
    assert.strictEqual((yield* rowOf(child)).status, "running")
    yield* tasks.remove(id)
    yield* becomes(child, "failed")
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
  })
})
