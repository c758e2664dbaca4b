import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit } from "effect"
import { ContextOverflow, ModelRejected, ModelUnavailable } from "../../src/Model/Model.ts"
import { withRetries } from "../../src/Model/ModelCalls.ts"
import { growth } from "../support/PrometheusText.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"

const request = { system: "", messages: [], tools: { tools: [] } }
const said = { provider: "openai", reason: "a reason" }

describe("Calls of the model", () => {
  it.effect("are counted by how they ended, with the tokens of those that were answered", () =>
    Effect.gen(function*() {
      const { model } = scriptedModel(
        says("One."),
        () => new ModelUnavailable(said),
        () => new ModelRejected({ ...said, status: 400 }),
        () => new ContextOverflow(said),
        () => Effect.die(new Error("a defect")),
        says("Two.")
      )
      const { of, result } = yield* growth(
        Effect.replicateEffect(
          Effect.exit(withRetries(model, { maxRetries: 0, totalTimeout: Duration.infinity })(request)),
          6
        )
      )
      assert.deepStrictEqual(result.map((exit) => Exit.isSuccess(exit)), [true, false, false, false, false, true])
      const outcomes = ["answered", "unavailable", "rejected", "overflow", "died"]
      assert.deepStrictEqual(outcomes.map((outcome) => of("troupe_model_calls_total", { outcome })), [2, 1, 1, 1, 1])
      assert.deepStrictEqual(
        [
          of("troupe_model_tokens_total", { direction: "input" }),
          of("troupe_model_tokens_total", { direction: "output" })
        ],
        [20, 10]
      )
      assert.strictEqual(of("troupe_model_call_seconds_count"), 2)
    }))
})
