import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { bob, givenCompleted, givenSubtask, givenTask, givenWaiting } from "../support/GivenTasks.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

const nowhere = TaskId.make("019a0000-0000-7000-8000-00000000dead")

inWorld("Tasks.cancel, retry and answer", (test) => {
  test("cancel a task with the given reason, and refuse a finished one", function*() {
    const tasks = yield* Tasks
    const [given, none] = [yield* givenTask(), yield* givenWaiting()]
    assert.deepInclude(yield* tasks.cancel(given, Option.some("too slow")), {
      status: "failed",
      error: "Cancelled: too slow"
    })
    assert.deepInclude(yield* tasks.cancel(none, Option.none()), { status: "failed", error: "Cancelled." })
    for (const id of [given, yield* givenCompleted()]) {
      const error = yield* Effect.flip(tasks.cancel(id, Option.none()))
      assert.deepInclude(error, { _tag: "TaskStateConflict", id, status: (yield* tasks.find(id)).status })
    }
  })

  test("retry a failed task and no other", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask()
    assert.deepInclude(yield* Effect.flip(tasks.retry(id)), { _tag: "TaskStateConflict", status: "pending" })
    yield* tasks.cancel(id, Option.none())
    assert.deepInclude(yield* tasks.retry(id), { status: "pending", error: null, completed_at: null })
  })

  test("answer a waiting task, with one of two answers, and no other task", function*() {
    const tasks = yield* Tasks
    const id = yield* givenWaiting("Which one?")
    assert.deepInclude(yield* tasks.find(id), {
      status: "waiting_input",
      question: "Which one?",
      last_tool_call_id: "ask1",
      checkpoint_thread_id: `task-${id}`
    })
    const exits = yield* Effect.all([
      Effect.either(tasks.answer(id, "This", Option.some(bob))),
      Effect.either(tasks.answer(id, "That", Option.none()))
    ], { concurrency: "unbounded" })
    const [won, lost] = exits[0]._tag === "Right" ? exits : exits.toReversed()
    assert.deepInclude(won, { _tag: "Right" })
    assert.isTrue(won?._tag === "Right" && won.right.status === "running" && won.right.question === null)
    assert.isTrue(lost?._tag === "Left" && lost.left._tag === "TaskStateConflict" && lost.left.status === "running")
    for (const task of [yield* givenTask(), yield* givenCompleted()]) {
      assert.deepInclude(yield* Effect.flip(tasks.answer(task, "Unasked", Option.none())), {
        _tag: "TaskStateConflict"
      })
    }
  })

  test("fail for an unknown task", function*() {
    const tasks = yield* Tasks
    const all: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string; readonly id?: string }>> = [
      tasks.find(nowhere),
      tasks.subtasks(nowhere, { limit: 1 }),
      tasks.remove(nowhere),
      tasks.answer(nowhere, "Hello", Option.none()),
      tasks.cancel(nowhere, Option.none()),
      tasks.retry(nowhere),
      tasks.messages(nowhere),
      tasks.events(nowhere, Option.none()),
      tasks.workerStatus(nowhere)
    ]
    for (const one of all) assert.deepInclude(yield* Effect.flip(one), { _tag: "TaskNotFound", id: nowhere })
  })
})

inWorld("Tasks.remove", (test) => {
  test("archives a task the first time, cancelling what is not over, and removes every row of it the second", function*() {
    const tasks = yield* Tasks
    const id = yield* givenWaiting()
    const child = yield* givenSubtask(id, "running")
    yield* tasks.remove(id)
    const archived = yield* tasks.find(id)
    assert.isNotNull(archived.archived_at)
    assert.deepInclude(archived, { status: "failed", error: "Cancelled: the task was archived." })
    assert.deepInclude(yield* tasks.find(child), { status: "failed" })
    assert.deepStrictEqual(yield* listed(), [])
    assert.deepStrictEqual(yield* listed({ include_archived: true }), ["Do it"])

    yield* tasks.remove(id)
    for (const task of [id, child]) {
      assert.deepInclude(yield* Effect.flip(tasks.find(task)), { _tag: "TaskNotFound" })
      assert.deepStrictEqual(yield* rowsOf(task), {
        tasks: 0,
        actors: 0,
        steps: 0,
        inbox: 0,
        idempotency_keys: 0,
        notifications: 0
      })
    }
    assert.deepInclude(yield* Effect.flip(tasks.remove(id)), { _tag: "TaskNotFound" })
  })

  test("leaves the outcome of a completed task as it is", function*() {
    const tasks = yield* Tasks
    const id = yield* givenCompleted("Do it", "The answer")
    yield* tasks.remove(id)
    const archived = yield* tasks.find(id)
    assert.deepInclude(archived, { status: "completed", error: null, progress: 100 })
    assert.deepStrictEqual(archived.outputs.map(({ content }) => content), ["The answer"])
  })
})
