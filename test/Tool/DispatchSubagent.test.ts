import { assert, describe, it } from "@effect/vitest"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import { AgentType } from "@troupe/domain/Task"
import { Effect } from "effect"
import { dispatchSubagent } from "../../src/Tool/DispatchSubagent.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { task } from "../Agent/loop.ts"
import { call } from "../support/ScriptedModel.ts"

const dispatched = (args: object) =>
  makeToolbox([dispatchSubagent]).call(call("c", "dispatch_subagent", args), {
    taskId: task.id,
    userId: task.userId,
    callId: "c"
  })

const part = { task_description: "Do a part" }

describe("dispatch_subagent", () => {
  it.effect("asks for a general subagent with ten iterations and no budget, unless told otherwise", () =>
    Effect.gen(function*() {
      const plain: SubtaskRequest = {
        description: "Do a part",
        context: null,
        agentType: "general",
        maxIterations: 10,
        tokenBudget: null
      }
      for (const args of [part, { ...part, context: " \n" }]) {
        assert.deepStrictEqual(yield* dispatched(args), { _tag: "Dispatched", content: "", request: plain })
      }
      for (const agent_type of AgentType.literals) {
        const given = { ...part, context: "So far", agent_type, max_iterations: 15, token_budget: 1 }
        assert.deepInclude(yield* dispatched(given), {
          request: { ...plain, context: "So far", agentType: agent_type, maxIterations: 15, tokenBudget: 1 }
        })
      }
    }))

  it.effect("says what it takes instead of what it was given", () =>
    Effect.gen(function*() {
      const wrong = [
        ["task_description", ""],
        ["agent_type", "boss"],
        ["max_iterations", 0],
        ["max_iterations", 16],
        ["max_iterations", 1.5],
        ["token_budget", 0]
      ] as const
      for (const [name, value] of wrong) {
        const { _tag, content } = yield* dispatched({ ...part, [name]: value })
        assert.strictEqual(_tag, "Answered")
        assert.include(content, `Error: the arguments don't fit: "${name}" must be`)
      }
    }))
})
