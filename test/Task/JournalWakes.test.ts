import { assert } from "@effect/vitest"
import type { TaskState } from "@troupe/domain/TaskState"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { keysOf, running, send, write } from "./steps.ts"

inWorld("Journal, wake-ups and commands", (test) => {
  test("parks a task without a wake-up, unless a command arrived that the writer has not read and that ends the wait", function*() {
    const journal = yield* Journal
    const waiting: TaskState = { ...running, status: "waiting_input", question: "Which?", lastToolCallId: "call1" }
    const park = { state: waiting, wake: { _tag: "Park" } } as const

    const parked = yield* givenTask()
    yield* journal.append(write(parked, park))
    assert.deepInclude(yield* rowOf(parked), {
      wake_at: null,
      status: "waiting_input",
      question: "Which?",
      last_tool_call_id: "call1"
    })

    const overruled = yield* givenTask()
    yield* send(overruled, "ended:1")
    const awaiting: TaskState = { ...running, status: "waiting_subagents", lastToolCallId: "[\"call1\"]" }
    yield* journal.append(write(overruled, { ...park, state: awaiting }))
    assert.isNotNull((yield* rowOf(overruled)).wake_at)
    assert.deepStrictEqual(yield* keysOf(overruled), ["ended:1"])

    const asking = yield* givenTask()
    yield* send(asking, "ended:1")
    yield* journal.append(write(asking, park))
    assert.isNull((yield* rowOf(asking)).wake_at, "a question is waited for whatever else has ended")

    const seen = yield* givenTask()
    yield* send(seen, "ended:1")
    yield* journal.append(write(seen, { ...park, inboxSeen: 1 }))
    assert.isNull((yield* rowOf(seen)).wake_at)
  })

  test("wakes a sleeping task at its time, or at once for a command that the writer has not read", function*() {
    const journal = yield* Journal
    const wake = { _tag: "After", millis: 3_600_000 } as const
    const asleep = yield* givenTask()
    yield* journal.append(write(asleep, { wake }))
    const { updated_at, wake_at } = yield* rowOf(asleep)
    assert.strictEqual((wake_at?.getTime() ?? 0) - updated_at.getTime(), wake.millis)

    const called = yield* givenTask()
    yield* send(called, "ended:1")
    yield* journal.append(write(called, { wake }))
    const row = yield* rowOf(called)
    assert.isAtMost(row.wake_at?.getTime() ?? Infinity, row.updated_at.getTime())
  })

  test("keeps the wake-up of a task that continues, clears that of one that is over, and completes none that has unread commands", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    for (const status of ["completed", "failed"] as const) {
      const id = yield* givenTask()
      const due = (yield* rowOf(id)).wake_at
      yield* journal.append(write(id))
      assert.deepStrictEqual((yield* rowOf(id)).wake_at, due)
      yield* send(id, "answered:1")
      const error = status === "failed" ? "Why" : null
      const last = write(id, { seq: 2, state: { ...running, status, error }, wake: { _tag: "Park" } })
      const before = yield* rowOf(id)
      if (status === "completed") {
        assert.deepStrictEqual(yield* journal.append(last), { isWritten: false, inboxSent: 1 })
        assert.deepStrictEqual(yield* rowOf(id), before)
        const stale = yield* Effect.flip(journal.append({ ...last, epoch: last.epoch + 1 }))
        assert.strictEqual(stale._tag, "Fenced")
      }
      yield* journal.append({ ...last, inboxSeen: status === "completed" ? 1 : 0 })
      assert.deepInclude(yield* rowOf(id), { wake_at: null, status, error })
      const [row] = yield* line.query("select from actors where task_id = $1 and completed_at is not null", [id])
      assert.isDefined(row)
    }
  })

  test("deletes the commands that the step acts on, in the same commit, and no others", function*() {
    const journal = yield* Journal
    const [id, other] = yield* Effect.all([givenTask(), givenTask()])
    for (const key of ["answered:1", "answered:2"]) {
      yield* send(id, key)
      yield* send(other, key)
    }
    yield* journal.append(write(id, { consumed: ["answered:1"], inboxSeen: 2 }))
    assert.deepStrictEqual([yield* keysOf(id), yield* keysOf(other)], [["answered:2"], ["answered:1", "answered:2"]])
  })
})
