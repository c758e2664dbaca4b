import { assert, describe, it } from "@effect/vitest"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import { AgentType } from "@troupe/domain/Task"
import { Effect } from "effect"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { callOf, context } from "./calls.ts"

const dispatched = (args: object) => makeToolbox([dispatchSubagent]).call(callOf("dispatch_subagent", args), context)

const part = { task_description: "Do a part" }

const plain: SubtaskRequest = {
  description: "Do a part",
  context: null,
  agentType: "general",
  maxIterations: 10,
  tokenBudget: null
}

describe("dispatch_subagent", () => {
  it.effect("requests a general subagent with ten iterations and no budget by default", () =>
    Effect.gen(function*() {
      for (const args of [part, { ...part, context: " \n" }]) {
        assert.deepStrictEqual(yield* dispatched(args), {
          _tag: "Dispatched",
          content: "",
          agent: null,
          request: plain
        })
      }
      for (const agent_type of AgentType.literals) {
        const given = { ...part, context: "So far", agent_type, max_iterations: 15, token_budget: 4_000 }
        assert.deepInclude(yield* dispatched(given), {
          request: { ...plain, context: "So far", agentType: agent_type, maxIterations: 15, tokenBudget: 4_000 }
        })
      }
    }))

  it.effect("takes any number of iterations from 1 on, and bounds it by the hard limit of subagents", () =>
    Effect.gen(function*() {
      for (const max_iterations of [16, 20, 1_000_000]) {
        assert.deepInclude(yield* dispatched({ ...part, max_iterations }), {
          request: { ...plain, maxIterations: 15 }
        })
      }
      assert.include(JSON.stringify(dispatchSubagent.parameters), "more than 15 counts as 15")
    }))

  it.effect("says what an invalid argument must be", () =>
    Effect.gen(function*() {
      const wrong = [
        ["task_description", ""],
        ["agent_type", "boss"],
        ["max_iterations", 0],
        ["max_iterations", 1.5],
        ["token_budget", 3_999]
      ] as const
      for (const [name, value] of wrong) {
        const { _tag, content } = yield* dispatched({ ...part, [name]: value })
        assert.strictEqual(_tag, "Answered")
        assert.include(content, `Error: the arguments don't fit: "${name}" must be`)
      }
    }))
})
