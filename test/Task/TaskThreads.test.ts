import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TaskThreads } from "../../src/Task/TaskThreads.ts"
import { alice, givenCompleted, givenWaiting } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

inWorld("TaskThreads", (test) => {
  test(
    "a conversation concerns the task that waits, else the newest of its tasks",
    Effect.gen(function*() {
      const threads = yield* TaskThreads
      const { query } = yield* Wire
      const waiting = yield* givenWaiting()
      const completed = yield* givenCompleted()
      yield* query(
        "insert into task_threads values ('chat', 'C1/1', $1), ('chat', 'C1/1', $2), ('chat', 'C1/2', $2), ('email', 'C1/3', $1)",
        [waiting, completed]
      )
      const found = Option.getOrThrow(yield* threads.find("chat", ["C1/9", "C1/1"]))
      assert.deepInclude(found, { id: waiting, status: "waiting_input", creator: alice })
      assert.isNotNull(found.call)
      const other = Option.getOrThrow(yield* threads.find("chat", ["C1/2"]))
      assert.deepInclude(other, { id: completed, status: "completed", call: null })
      assert.deepStrictEqual(yield* threads.find("chat", ["C1/3"]), Option.none())
      assert.deepStrictEqual(yield* threads.find("chat", []), Option.none())
      assert.deepStrictEqual(yield* threads.ofTask(waiting), Option.some(found))
    }).pipe(Effect.provide(TaskThreads.layer))
  )

  test(
    "of several tasks that wait, a conversation concerns the one that asked last",
    Effect.gen(function*() {
      const threads = yield* TaskThreads
      const { query } = yield* Wire
      const older = yield* givenWaiting()
      const newer = yield* givenWaiting()
      yield* query("insert into task_threads values ('chat', 'D1', $1), ('chat', 'D1', $2)", [older, newer])
      for (const last of [older, newer]) {
        yield* query("update actors set updated_at = updated_at + interval '1 hour' where task_id = $1", [last])
        assert.strictEqual(Option.getOrThrow(yield* threads.find("chat", ["D1"])).id, last)
        yield* query("update actors set updated_at = now() - interval '1 day' where task_id = $1", [last])
      }
    }).pipe(Effect.provide(TaskThreads.layer))
  )
})
