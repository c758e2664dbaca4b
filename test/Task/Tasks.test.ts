import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { givenSubtask, givenWaiting, takeStep } from "../support/GivenTasks.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
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
      tasks.message(nowhere, "Hello", Option.none()),
      tasks.events(nowhere, Option.none()),
      tasks.workerStatus(nowhere)
    ]
    for (const one of all) assert.deepInclude(yield* Effect.flip(one), { _tag: "TaskNotFound", id: nowhere })
  })
})

inWorld("Tasks.remove", (test) => {
  test("archives a task the first time, cancelling what is not over, and deletes it the second", function*() {
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
    for (let again = 0; again < 2; again++) assert.isNull((yield* tasks.restore(id)).archived_at)
    assert.deepStrictEqual(yield* listed(), ["Do it"])
    yield* tasks.remove(id)

    yield* tasks.remove(id)
    for (const task of [id, child]) {
      assert.deepInclude(yield* Effect.flip(tasks.find(task)), { _tag: "TaskNotFound" })
    }
    assert.deepInclude(yield* Effect.flip(tasks.remove(id)), { _tag: "TaskNotFound" })
  })
})

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
      yield* takeStep(task, { kind: "results", results: [], notices: ["Half way"] })
    }
    for (const task of [child, grandchild]) {
      yield* query("insert into steps (task_id, seq, body) values ($1, 1, '{}')", [task])
      yield* query("insert into inbox (task_id, key, number, body) values ($1, 'k', 1, '{}')", [task])
    }
    const kept = yield* rowsOf(other)
    assert.strictEqual(kept["notifications"], 1)

    assert.deepStrictEqual(yield* commands.removeAll([id]), [], "it is not archived")
    assert.strictEqual((yield* rowsOf(grandchild))["steps"], 1)
    assert.isTrue(yield* commands.archive(id))
    assert.isFalse(yield* commands.archive(id))
    assert.sameMembers([...yield* commands.removeAll([id])], [id, child, grandchild])
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
    assert.deepStrictEqual(yield* commands.removeAll([id]), [])
  })
})
