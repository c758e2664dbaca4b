import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { Effect, Struct } from "effect"
import { sumUserHours } from "../../src/Task/Read/UserHours.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { storedModel, workerModels } from "../Model/registry.ts"
import { alice, claim, givenSubtask, givenTask } from "../support/GivenTasks.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { asks, call, costing, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const prices = { scripted: { input: 3, output: 15 } }

const look = tool("look", "read", Effect.succeed("nothing there"))

/** Runs a new task to its end, with these prices. */
const completed = (given: typeof prices | Record<string, never>) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const scripted = scriptedModel(asks(call("c1", "look")), costing(1_000_000, says("Nothing.")))
    const entities = yield* makeEntities({ scripted, tools: [look], prices: given })
    const id = yield* givenTask()
    yield* entities.wake(yield* claim(id))
    return yield* tasks.find(id)
  })

inWorld("The cost of a task", (test) => {
  test("is the sum of its model calls, each of which has its own", function*() {
    const { logs, usage } = yield* completed(prices)
    // 10 tokens in and 5 out, then a million in.
    assert.strictEqual(usage.cost, 3.000105)
    const costs = logs.flatMap(({ data, event }) => event === "model" ? [data] : [])
    assert.deepInclude(costs[0], { input_tokens: 10, cost: 0.000105 })
    assert.deepInclude(costs[1], { input_tokens: 1_000_000, cost: 3 })
  })

  test("is by the price of a stored model before that of MODEL_PRICES, cached input by its own", function*() {
    const server = yield* makeModelServer()
    yield* server.script({ text: "Done.", usage: { input: 1_000_000, output: 100_000, cached: 600_000 } })
    const price = { input: 2, output: 10, cached_input: 0.5 }
    const entities = yield* makeEntities({
      scripted: { layer: workerModels({ main: storedModel(server, { price }) }) },
      prices: { "fake-r0": { input: 100, output: 100 } }
    })
    const id = yield* givenTask()
    yield* entities.wake(yield* claim(id))
    const { usage } = yield* Effect.flatMap(Tasks, (tasks) => tasks.find(id))
    // 400,000 tokens in, 600,000 that were cached, 100,000 out.
    assert.strictEqual(usage.cost, 0.8 + 0.3 + 1)
  })

  test("is known where the provider counts no tokens", function*() {
    const tasks = yield* Tasks
    const uncounted: Turn = () =>
      Effect.succeed({
        message: { role: "assistant", content: "Nothing.", tool_calls: [] },
        inputTokens: 0,
        outputTokens: 0
      })
    const entities = yield* makeEntities({ scripted: scriptedModel(uncounted), prices })
    const id = yield* givenTask()
    yield* entities.wake(yield* claim(id))
    assert.deepInclude((yield* tasks.find(id)).usage, { model_calls: 1, cost: 0 })
  })

  test("is null without prices, and of a task that made no call", function*() {
    const tasks = yield* Tasks
    const { logs, usage } = yield* completed({})
    assert.isNull(usage.cost)
    assert.deepInclude(logs.find(({ event }) => event === "model")?.data, { cost: null })
    assert.isNull((yield* tasks.find(yield* givenTask())).usage.cost)
  })

  test("adds up for its user, without the tasks that have none", function*() {
    const tasks = yield* Tasks
    yield* completed({})
    assert.deepInclude(yield* tasks.usage(alice), {
      tasks: 1,
      unpriced_tasks: 1,
      input_tokens: 1_000_010,
      cost: null
    })
    yield* completed(prices)
    yield* completed(prices)
    const total = {
      tasks: 3,
      unpriced_tasks: 1,
      input_tokens: 3_000_030,
      output_tokens: 15,
      model_calls: 6,
      tool_calls: 3,
      cost: 6.00021
    }
    const { days, spending, user_id, ...all } = yield* tasks.usage(alice)
    assert.deepStrictEqual([user_id, all, spending], [alice, total, []])
    assert.strictEqual(days.reduce((sum, { tasks }) => sum + tasks, 0), 3)
    const nobody = yield* Effect.flip(tasks.usage(UserId.make("nobody")))
    assert.strictEqual(nobody._tag, "UserNotFound")
  })

  test("of its user is told by day, of a period alone", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    for (const at of ["2026-01-01T00:00:00Z", "2026-01-01T23:59:59.999Z", "2026-01-02T00:00:00Z"]) {
      const { id } = yield* completed(prices)
      yield* query("update tasks set created_at = $2 where id = $1", [id, at])
    }
    const within = (from?: string, to?: string) =>
      Effect.map(
        tasks.usage(alice, { from, to }),
        ({ days, tasks }) => [tasks, days.map(({ cost, date, tasks }) => [date, tasks, cost])]
      )
    const first = ["2026-01-01", 2, 6.00021]
    const second = ["2026-01-02", 1, 3.000105]
    assert.deepStrictEqual(yield* within(undefined, "2026-01-02"), [3, [second, first]])
    assert.deepStrictEqual(yield* within("2026-01-01", "2026-01-01"), [2, [first]])
    assert.deepStrictEqual(yield* within("2026-01-02", "2026-01-03"), [1, [second]])
    assert.deepStrictEqual(yield* within("2025-01-01", "2025-12-31"), [0, []])
  })

  test("of its user is the same before and after the hour of its end has been summed up, and after a retry", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    yield* query("update usage_sums set until = date_trunc('hour', now(), 'UTC') - interval '6 hours'")
    const { id } = yield* completed(prices)
    const { id: other } = yield* completed({})
    const open = yield* givenTask()
    yield* query("update tasks set created_at = date_trunc('hour', created_at) where id = $1", [id])
    yield* query("update tasks set created_at = (select created_at from tasks where id = $1) where id = $2", [
      id,
      other
    ])
    // Two hours before what the last part sums up anew, also where a minute ago was another hour.
    yield* query("update actors set completed_at = now() - interval '5 hours' where task_id in ($1, $2)", [id, other])
    const before = yield* tasks.usage(alice)
    assert.deepInclude(before, { tasks: 3, unpriced_tasks: 1, model_calls: 4, cost: 3.000105 })
    const sum = sumUserHours(yield* SqlClient)
    yield* sum
    yield* sum
    assert.lengthOf(yield* query("select from user_hours where tasks = 2"), 1)
    assert.deepStrictEqual(yield* tasks.usage(alice), before)

    yield* query("update actors set status = 'failed', error = 'Broken', ended_by = 'failure' where task_id = $1", [id])
    yield* tasks.retry(id)
    assert.deepStrictEqual(yield* tasks.usage(alice), before)
    yield* query("update actors set cost = cost + 1 where task_id in ($1, $2)", [id, open])
    assert.deepInclude(yield* tasks.usage(alice), { tasks: 3, unpriced_tasks: 1, cost: 4.000105 })

    yield* query("update actors set wake_at = null, completed_at = now() - interval '2 hours' where task_id = $1", [id])
    yield* query("update usage_sums set until = until - interval '2 hours'")
    yield* sum
    assert.deepInclude(yield* tasks.usage(alice), { tasks: 3, unpriced_tasks: 1, cost: 4.000105 })
  })

  test("of its user stays when it is deleted, before and after the hour of its end has been summed up", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    yield* query("update usage_sums set until = date_trunc('hour', now(), 'UTC') - interval '6 hours'")
    const remove = (id: TaskId) => Effect.repeatN(Effect.orDie(tasks.remove(id)), 1)
    const early = (yield* completed(prices)).id
    const other = (yield* completed({})).id
    const late = (yield* completed(prices)).id
    const open = yield* givenTask()
    yield* query("update actors set cost = 0.5, input_tokens = 7 where task_id in ($1, $2)", [
      open,
      yield* givenSubtask(early)
    ])
    yield* query("update actors set completed_at = now() - interval '5 hours' where completed_at is not null")
    const before = yield* tasks.usage(alice)
    assert.deepInclude(before, { tasks: 4, unpriced_tasks: 1, input_tokens: 3_000_044, cost: 7.00021 })
    for (const id of [early, other, open]) yield* remove(id)
    assert.deepStrictEqual(yield* tasks.usage(alice), before)
    yield* sumUserHours(yield* SqlClient)
    assert.deepStrictEqual(yield* tasks.usage(alice), before)
    yield* remove(late)
    assert.deepStrictEqual(yield* tasks.usage(alice), before)
    assert.deepStrictEqual(yield* query("select from tasks"), [])
  })

  test("has a total with that of its subtasks, null as soon as one call had no price", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const { id, usage } = yield* completed(prices)
    assert.deepStrictEqual(usage.total, Struct.omit(usage, "total"))
    const [one, two] = [yield* givenSubtask(id), yield* givenSubtask(id)]
    const spend = (subtask: string, cost: number | null) =>
      query(
        "update actors set input_tokens = 100, output_tokens = 20, model_calls = 2, tool_calls = 1, cost = $2 where task_id = $1",
        [subtask, cost]
      )
    yield* spend(one, 0.5)
    const total = {
      input_tokens: usage.input_tokens + 100,
      output_tokens: usage.output_tokens + 20,
      model_calls: usage.model_calls + 2,
      tool_calls: usage.tool_calls + 1,
      cost: 3.500105
    }
    assert.deepStrictEqual((yield* tasks.find(id)).usage, { ...usage, total })
    yield* spend(two, null)
    const { items } = yield* tasks.list({})
    assert.deepInclude(items.find((task) => task.id === id)?.usage.total, {
      model_calls: total.model_calls + 2,
      cost: null
    })
  })
})
