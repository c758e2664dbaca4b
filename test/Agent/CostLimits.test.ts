import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { asks, call, costing, says } from "../support/ScriptedModel.ts"
import { idOf, makeLoop, tool } from "./loop.ts"

const prices = { scripted: { input: 1, output: 4 } }
const look = tool("look", "read", Effect.succeed("A red door."))

const runWith = (maxCost: number, options: Parameters<typeof makeLoop>[0]) =>
  Effect.gen(function*() {
    const loop = makeLoop({ tools: [look], settings: { prices }, ...options, task: { maxCost, ...options.task } })
    yield* loop.run
    return loop
  })

describe("A cost limit", () => {
  it.effect("ends the task as a token budget does, in a last call without tools", () =>
    Effect.gen(function*() {
      const turns = [costing(15_000, asks(call("c1", "look"))), says("A red door, as far as I got.")]
      const { journal, scripted: model } = yield* runWith(0.02, { turns })
      const last = journal.at(-1)
      assert.deepInclude(last, {
        kind: "model",
        endedBy: "budget",
        note: "The cost limit of 0.02 allowed one more call, in which the agent closed with this answer."
      })
      assert.lengthOf(model.requests.at(-1)?.tools.tools ?? [], 0)
      assert.include(model.requests.at(-1)?.system, "0.005 of the cost limit of 0.02")
      const spent = journal.reduce((sum, step) => sum + ("cost" in step ? step.cost ?? 0 : 0), 0)
      assert.isAtMost(spent, 0.02)
    }))

  it.effect("fails a task for which it can't pay the first call, without a call", () =>
    Effect.gen(function*() {
      const { journal, scripted: model } = yield* runWith(0.000_1, { turns: [says("Never said.")] })
      const last = journal.at(-1)
      assert.match(
        last?.kind === "failed" ? last.error : "",
        /first model call takes about 0\.0\d+ .* cost limit of 0\.0001/
      )
      assert.lengthOf(model.requests, 0)
    }))

  it.effect("has no effect on a model without a price, and the first step says so", () =>
    Effect.gen(function*() {
      const { journal } = yield* runWith(0.000_1, { turns: [says("Done.")], settings: { prices: {} } })
      assert.deepInclude(journal.at(-1), { kind: "model", end: "answered", unlimited: true })
    }))

  it.effect("is shared with subtasks", () =>
    Effect.gen(function*() {
      const parts = ["a", "b"].map((id) =>
        call(id, dispatchSubagent.name, { task_description: "Look", agent_type: "general" })
      )
      const { journal } = yield* runWith(1, {
        turns: [costing(100_000, asks(...parts))],
        tools: [dispatchSubagent],
        dependencies: {
          subtasks: {
            newIds: (count) => Effect.succeed(Array.from({ length: count }, (_, index) => idOf(index))),
            ended: () => Effect.succeed([])
          }
        }
      })
      const dispatched = journal.find((step) => step.kind === "dispatched")
      assert.deepStrictEqual(
        dispatched?.kind === "dispatched" ? dispatched.subtasks.map(({ maxCost }) => maxCost) : [],
        [0.36, 0.36]
      )
    }))
})
