import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { type TaskRequest, Tasks } from "../../src/Task/Tasks.ts"
import { bob, claim, givenTask, request, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { countTasks } from "./tasksSubmit.ts"

const keyed = (key: string, digest: string, more: Partial<TaskRequest> = {}): TaskRequest =>
  request("Do it once", { idempotency: { caller: selfHostedCaller, key, digest }, ...more })

inWorld("Tasks.submit with an Idempotency-Key", (test) => {
  test("answers a repeated request the same, even after the task has continued", function*() {
    const tasks = yield* Tasks
    const journal = yield* Journal
    const first = yield* tasks.submit(keyed("key", "body"))
    assert.deepStrictEqual(yield* tasks.submit(keyed("key", "body")), first)
    const held = yield* claim(first.id)
    yield* journal.append(stepAfter(held, { kind: "forced", reason: "Enough", output: "Done" }, { progress: 60 }))
    assert.deepStrictEqual(yield* tasks.submit(keyed("key", "body")), first)
    assert.strictEqual(yield* countTasks, 1)
  })

  test("refuses another body under the key, for any user", function*() {
    const tasks = yield* Tasks
    const first = yield* tasks.submit(keyed("key", "body"))
    const error = yield* Effect.flip(tasks.submit(keyed("key", "other body")))
    assert.deepInclude(error, { _tag: "IdempotencyConflict", key: "key" })
    assert.notStrictEqual((yield* tasks.submit(keyed("other key", "body"))).id, first.id)
    const forBob = yield* Effect.flip(tasks.submit(keyed("key", "other body", { user_id: bob })))
    assert.deepInclude(forBob, { _tag: "IdempotencyConflict", key: "key" })
    assert.strictEqual(yield* countTasks, 2)
  })

  test("refuses the same request once its task was deleted, and says so", function*() {
    const tasks = yield* Tasks
    const { id } = yield* tasks.submit(keyed("key", "body"))
    yield* tasks.remove(id)
    assert.strictEqual((yield* tasks.submit(keyed("key", "body"))).id, id)
    yield* tasks.remove(id)
    const error = yield* Effect.flip(tasks.submit(keyed("key", "body")))
    assert.strictEqual(error._tag, "IdempotencyConflict")
    assert.match(error.message, /^The task of the Idempotency-Key "key" was deleted/)
    const other = yield* Effect.flip(tasks.submit(keyed("key", "other body")))
    assert.deepInclude(other, { _tag: "IdempotencyConflict", because: "other body" })
    assert.strictEqual(yield* countTasks, 0)
  })

  test("makes one task of many concurrent requests, and answers all of them the same", function*() {
    const tasks = yield* Tasks
    const submissions = Array.from({ length: 12 }, (_, index) => keyed(`key${index % 3}`, "body"))
    const made = yield* Effect.forEach(submissions, tasks.submit, { concurrency: "unbounded" })
    assert.strictEqual(yield* countTasks, 3)
    made.forEach((task, index) => assert.deepStrictEqual(task, made[index % 3]))
    assert.strictEqual(new Set(made.map(({ id }) => id)).size, 3)
  })

  test("accepts one of two bodies that are sent concurrently under a key", function*() {
    const tasks = yield* Tasks
    const exits = yield* Effect.forEach(
      ["one", "two"],
      (digest) => Effect.either(tasks.submit(keyed("key", digest))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(exits.map(({ _tag }) => _tag).sort(), ["Left", "Right"])
    assert.strictEqual(yield* countTasks, 1)
  })

  test("expires a key after 24 hours and not before", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const first = yield* tasks.submit(keyed("key", "body"))
    const age = (hours: number) =>
      query("update idempotency_keys set created_at = now() - make_interval(hours => $1)", [hours])
    yield* age(23)
    assert.strictEqual((yield* tasks.submit(keyed("key", "body"))).id, first.id)
    yield* age(25)
    const second = yield* tasks.submit(keyed("key", "another body"))
    assert.notStrictEqual(second.id, first.id)
    assert.deepStrictEqual(yield* tasks.submit(keyed("key", "another body")), second)
    assert.strictEqual(yield* countTasks, 2)
  })

  test("answers a repeated request the same after what it named has changed", function*() {
    const tasks = yield* Tasks
    const commands = yield* TaskCommands
    const previous = yield* givenTask("Before")
    yield* commands.cancel(previous, "Cancelled.")
    const again = (key: string, digest: string) => keyed(key, digest, { continue_task_id: previous })
    const first = yield* tasks.submit(again("key", "body"))
    yield* commands.retry(previous)
    assert.deepStrictEqual(yield* tasks.submit(again("key", "body")), first)
    assert.deepInclude(yield* Effect.flip(tasks.submit(again("key", "other"))), { _tag: "IdempotencyConflict" })
    assert.deepInclude(yield* Effect.flip(tasks.submit(again("new", "body"))), { _tag: "TaskRequestInvalid" })
  })
})
