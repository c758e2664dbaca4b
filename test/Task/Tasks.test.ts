import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { givenCompleted, givenSubtask, givenWaiting } from "../support/GivenTasks.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

const nowhere = TaskId.make("019a0000-0000-7000-8000-00000000dead")

inWorld("Tasks", (test) => {
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
