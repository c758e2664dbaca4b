import { assert, describe, it } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { DateTime, Effect } from "effect"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { quantileOf, sumHours, TaskHistory } from "../../src/Task/Read/TaskHistory.ts"
import { atOneMoment } from "../support/FrozenClock.ts"
import { givenSubtask, givenTask } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

/** Ends the task this long ago, after it waited one second and ran for some. */
const end = (id: TaskId, minutesAgo: number, ran: number, more = "status = 'completed', cost = 0.5") =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const at = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { minutes: minutesAgo }))
    yield* query(
      `update actors set completed_at = $2, started_at = $2::timestamptz - make_interval(secs => $3),
         wake_at = null, input_tokens = 100, output_tokens = 10, model_calls = 1, ${more} where task_id = $1`,
      [id, at, ran]
    )
    yield* query(
      `update tasks set created_at = (select started_at - interval '1 s' from actors where task_id = $1) where id = $1`,
      [id]
    )
  })

// At one moment, because the intervals of a report move on as soon as an hour ends.
inWorld("The history of tasks", (test) => {
  test("counts what ended in each interval, how long it took and what it used", function*() {
    const { report } = yield* Effect.provide(TaskHistory, TaskHistory.layer)
    const before = yield* report("day")
    assert.lengthOf(before.intervals, 24)
    assert.isTrue(
      before.intervals.every(({ completed, duration_seconds }) => completed === 0 && duration_seconds === null)
    )

    for (const ran of [10, 20, 60]) yield* end(yield* givenTask(), 0, ran)
    const parent = yield* givenTask()
    yield* end(parent, 0, 20, "status = 'failed', error = 'It did not work'")
    yield* end(yield* givenSubtask(parent), 0, 5)
    yield* end(yield* givenTask(), 60 * 24 * 8, 20)
    yield* givenTask()

    const { intervals, is_complete } = yield* report("day")
    assert.isTrue(is_complete)
    assert.closeTo(intervals.at(-1)?.slow_duration_seconds ?? 0, 54, 0.001)
    assert.deepInclude(intervals.at(-1), {
      completed: 3,
      failed: 1,
      queued_seconds: 1,
      duration_seconds: 20,
      model_calls: 5,
      input_tokens: 500,
      output_tokens: 50,
      cost: 2,
      unpriced_tasks: 1
    })
    const completed = (all: ReadonlyArray<{ readonly completed: number }>) =>
      all.reduce((sum, interval) => sum + interval.completed, 0)
    assert.strictEqual(completed((yield* report("week")).intervals), 3)
    const month = yield* report("month")
    assert.lengthOf(month.intervals, 30)
    assert.strictEqual(completed(month.intervals), 4)
  })

  test("has each hour once, whether or not it has been summed up", function*() {
    const { report } = yield* Effect.provide(TaskHistory, TaskHistory.layer)
    const { query } = yield* Wire
    const { execute } = yield* PreparedStatements
    for (const hours of [0, 3, 3, 30, 150]) yield* end(yield* givenTask(), 60 * hours, 20)
    yield* end(yield* givenSubtask(yield* givenTask()), 180, 5)
    const before = yield* Effect.all([report("day"), report("week"), report("month")])
    yield* sumHours(execute)
    yield* sumHours(execute)
    const [{ count, ends } = { count: 0, ends: 0 }] = yield* query<{ readonly count: number; readonly ends: number }>(
      "select count(*)::integer as count, sum(completed)::integer as ends from task_hours"
    )
    assert.isAtLeast(count, 31 * 24 - 1)
    assert.strictEqual(ends, 4)
    assert.deepStrictEqual(yield* Effect.all([report("day"), report("week"), report("month")]), before)
    yield* query("truncate tasks, actors")
    const kept = (yield* report("week")).intervals.reduce((sum, { completed }) => sum + completed, 0)
    assert.strictEqual(kept, 4)
  })

  test("sums up the hours in which nothing ended with the others, in as many statements as those take", function*() {
    const { sent } = yield* Wire
    const { execute } = yield* PreparedStatements
    for (const hours of [3, 4, 5, 6, 7, 8, 9, 300]) yield* end(yield* givenTask(), 60 * hours, 20)
    yield* sumHours(execute)
    // Six hours, the other two, and none.
    assert.lengthOf(sent.filter(({ name }) => name === "task_history_sum"), 3)
  })

  test("keeps the tasks that are deleted before their hour has been summed up", function*() {
    const { report } = yield* Effect.provide(TaskHistory, TaskHistory.layer)
    const { query } = yield* Wire
    const { execute } = yield* PreparedStatements
    const commands = yield* TaskCommands
    const parent = yield* givenTask()
    yield* end(parent, 0, 15)
    const deleted = [parent]
    for (const [minutes, ran] of [[0, 10], [0, 50], [180, 20], [180, 80], [60 * 24 * 40, 20]] as const) {
      const id = yield* givenTask()
      yield* end(id, minutes, ran)
      deleted.push(id)
    }
    yield* end(yield* givenTask(), 180, 30)
    yield* end(yield* givenSubtask(parent), 0, 5, "status = 'failed', error = 'Broken'")
    const before = yield* report("day")
    yield* query("update tasks set archived_at = now() where id = any($1)", [deleted])
    assert.lengthOf(yield* commands.removeAll(deleted), 7)
    assert.deepStrictEqual(yield* report("day"), before)
    yield* sumHours(execute)
    assert.deepStrictEqual(yield* report("day"), before)
    const kept = "select from deleted_ends where completed_at < now() - interval '2 hours'"
    assert.deepStrictEqual(yield* query(kept), [])
  })
}, atOneMoment)

describe("A quantile of several hours", () => {
  it("weighs each hour by its tasks", () => {
    const hour = (seconds: number, count: number) => ({ quantiles: Array.from({ length: 41 }, () => seconds), count })
    assert.isNull(quantileOf([], 0.5))
    assert.strictEqual(quantileOf([hour(1, 90), { quantiles: [], count: 0 }, hour(100, 10)], 0.5), 1)
    assert.strictEqual(quantileOf([hour(1, 90), hour(100, 10)], 0.95), 100)
    assert.strictEqual(quantileOf([{ quantiles: Array.from({ length: 41 }, (_, n) => n), count: 3 }], 0.95), 38)
  })
})
