import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { alice, claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, costing, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
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
    assert.deepStrictEqual(yield* tasks.usage(alice), {
      user_id: alice,
      tasks: 3,
      unpriced_tasks: 1,
      input_tokens: 3_000_030,
      output_tokens: 15,
      model_calls: 6,
      tool_calls: 3,
      cost: 6.00021
    })
    const nobody = yield* Effect.flip(tasks.usage(UserId.make("nobody")))
    assert.strictEqual(nobody._tag, "UserNotFound")
  })
})
