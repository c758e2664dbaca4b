import { assert } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { TaskThreads } from "../../src/Task/Read/TaskThreads.ts"
import { alice, bob, givenCompleted, givenWaiting } from "../support/GivenTasks.ts"
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

  test(
    "a direct conversation goes on with its creator's newest task, up to a time after its last message, question or result",
    Effect.gen(function*() {
      const threads = yield* TaskThreads
      const { query } = yield* Wire
      const [older, newest] = [yield* givenCompleted(), yield* givenCompleted()]
      yield* query("insert into task_threads values ('chat', 'D1', $1), ('chat', 'D1', $2)", [older, newest])
      const found = (at: string, creator = alice) =>
        Effect.map(
          threads.findRecent("chat", "D1", { creator, at, within: Duration.hours(1) }),
          (task) => Option.getOrNull(task)?.id ?? null
        )
      yield* query("update tasks set created_at = '2026-01-01T08:00:00Z'")
      yield* query("update actors set completed_at = '2026-01-01T09:00:00Z'")
      assert.strictEqual(yield* found("2026-01-01T10:00:00.000Z"), newest)
      assert.isNull(yield* found("2026-01-01T10:00:00.001Z"))
      assert.isNull(yield* found("2026-01-01T09:00:00.000Z", bob))
      yield* query(
        `insert into outbox (id, channel, recipient, kind, task_id, payload, created_at)
         values (gen_random_uuid(), 'chat', 'D1', 'post', $1, '{}', '2026-01-01T09:30:00Z')`,
        [newest]
      )
      assert.strictEqual(yield* found("2026-01-01T10:30:00.000Z"), newest)
      yield* query(
        `insert into inbound_messages (id, source, type, headers, url, task_id, received_at)
         values (gen_random_uuid(), 'chat', 'message', '{}', '', $1, '2026-01-01T10:00:00Z')`,
        [newest]
      )
      assert.strictEqual(yield* found("2026-01-01T11:00:00.000Z"), newest)
      assert.isNull(yield* found("2026-01-01T11:00:00.001Z"))
    }).pipe(Effect.provide(TaskThreads.layer))
  )
})
