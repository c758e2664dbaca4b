import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Layer, Queue, Stream } from "effect"
import * as Retention from "../../src/Task/Command/Retention.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { givenCompleted, givenSubtask, givenTask, request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

/** Makes a task end so many days ago. */
const ended = (id: TaskId, days: number, status = "completed") =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `update actors set status = $3, wake_at = null, runner = null, completed_at = now() - $2 * interval '1 day' where task_id = $1`,
      [id, days, status]
    ))

const givenEnded = (days: number, message?: string) => Effect.tap(givenTask(message), (id) => ended(id, days))

const givenContinuation = (of: TaskId) =>
  Effect.flatMap(Tasks, ({ submit }) => Effect.map(submit(request("Go on", { continue_task_id: of })), ({ id }) => id))

const left = Effect.flatMap(
  Wire,
  ({ query }) =>
    Effect.map(query<{ id: string }>("select id::text from tasks order by id"), (rows) => rows.map(({ id }) => id))
)

/** Runs it once with a task that it deletes last of all, and returns the tasks that are left. */
const leftAfter = (days: number) =>
  Effect.gen(function*() {
    const last = yield* givenEnded(days + 0.001)
    yield* Layer.build(Retention.layer({ taskDays: days }))
    return yield* eventually(left, (ids) => !ids.includes(last))
  }).pipe(Effect.scoped)

inWorld("TASK_RETENTION_DAYS", (test) => {
  test("deletes finished tasks so long after their end with all rows of theirs, and none that is open", function*() {
    const { query } = yield* Wire
    const old = yield* givenCompleted()
    yield* ended(old, 3)
    const subtask = yield* givenSubtask(old)
    yield* ended(subtask, 3, "failed")
    const kept = [yield* givenEnded(1), yield* givenTask()]
    assert.deepStrictEqual(yield* leftAfter(2), kept)
    for (const table of ["actors", "steps", "inbox", "notifications", "outbox"]) {
      const rows = yield* query(`select from ${table} where task_id = any($1)`, [[old, subtask]])
      assert.deepStrictEqual(rows, [], table)
    }
  })

  test("keeps a task with a message that is not delivered yet, for some days", function*() {
    const { query } = yield* Wire
    const withMessage = (state: string, age: number) =>
      Effect.gen(function*() {
        const id = yield* givenEnded(9)
        const subtask = yield* givenSubtask(id)
        yield* ended(subtask, 9)
        yield* query(
          `insert into outbox (id, channel, recipient, kind, task_id, payload, state, due_at, ended_at, created_at)
values (gen_random_uuid(), 'webhook', 'x', 'task.completed', $1, '{}', $2, case $2 when 'pending' then now() + interval '1 day' end,
  case $2 when 'sent' then now() end, now() - $3 * interval '1 day')`,
          [subtask, state, age]
        )
        return [id, subtask]
      })
    const kept = yield* withMessage("pending", 1)
    yield* withMessage("sent", 1)
    yield* withMessage("pending", 4)
    assert.deepStrictEqual(yield* leftAfter(2), kept.toSorted())
  })

  test("takes effect as soon as it is changed", function*() {
    const old = yield* givenEnded(9)
    const changed = yield* Queue.unbounded<void>()
    const options = { taskDays: 0, changes: Stream.fromQueue(changed) }
    yield* Layer.build(Retention.layer(options))
    options.taskDays = 5
    yield* Queue.offer(changed, undefined)
    yield* eventually(left, (ids) => !ids.includes(old))
  })

  test("takes fractions of a day", function*() {
    const kept = yield* givenEnded(0.02)
    assert.deepStrictEqual(yield* leftAfter(0.05), [kept])
  })

  test("keeps what an open task continues, also through finished ones, and deletes the chain of a finished one", function*() {
    const first = yield* givenEnded(9)
    const second = yield* Effect.tap(givenContinuation(first), (id) => ended(id, 8))
    const open = yield* givenContinuation(second)
    const other = yield* givenEnded(9)
    const follower = yield* givenContinuation(other)
    yield* ended(follower, 7)
    assert.deepStrictEqual(yield* leftAfter(2), [first, second, open])
    yield* ended(open, 5)
    assert.deepStrictEqual(yield* leftAfter(2), [])
  })

  test("keeps a task with a subtask that is open or ended later, and that subtask", function*() {
    const [parent, late] = [yield* givenEnded(9), yield* givenEnded(9)]
    const open = yield* givenSubtask(parent, "running")
    const subtask = yield* givenSubtask(late)
    yield* ended(subtask, 1)
    assert.deepStrictEqual(yield* leftAfter(2), [parent, late, open, subtask])
  })

  test("keeps a task that is retried at this moment", function*() {
    const { query } = yield* Wire
    const id = yield* givenEnded(9)
    yield* query("begin")
    yield* query("update actors set status = 'pending', completed_at = null, wake_at = now() where task_id = $1", [id])
    yield* Layer.build(Retention.layer({ taskDays: 2 }))
    const { sent } = yield* Wire
    yield* eventually(
      Effect.sync(() => sent),
      (all) => all.filter(({ name }) => name === "tasks_remove_old").length >= 2
    )
    yield* query("commit")
    assert.deepStrictEqual(yield* left, [id])
  })

  test("goes through any number of tasks in slices that are bounded by tasks and by steps", function*() {
    const { query, sent } = yield* Wire
    yield* query(`with made as (
  insert into tasks (id, created_at, creator, title, description, task_type)
  select gen_random_uuid(), now(), 'alice', 't', 't', 'task' from generate_series(1, 120) returning id
)
insert into actors (task_id, shard, creator, updated_at, status, completed_at, seq)
select id, 1, 'alice', now(), 'completed', now() - interval '9 days', case when row_number() over (order by id) <= 3 then 1500 else 0 end
from made`)
    assert.deepStrictEqual(yield* leftAfter(2), [])
    // Two long tasks, then twice fifty, then the others.
    assert.isAtLeast(sent.filter(({ name }) => name === "tasks_remove_old").length, 4)
  })
})
