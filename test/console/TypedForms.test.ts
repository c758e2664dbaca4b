import { assert, describe, it } from "@effect/vitest"
import type { LanguageModel } from "@troupe/client"
import { emptyAgent, faultOf } from "../../packages/console/src/screens/agents/AgentForm.ts"
import { emptyModel, entryOf, fieldsOf } from "../../packages/console/src/screens/models/ModelFields.ts"

const price = { input: 1.25, output: 10, cached_input: 0.125 }

const model: LanguageModel = {
  name: "main",
  provider: "openai",
  model: "gpt-5",
  base_url: "https://api.openai.com/v1",
  has_key: true,
  context_tokens: 400_000,
  price,
  temperature: 1,
  source: "stored",
  overrides: ["price"],
  status: "answers",
  detail: ""
}

const saved = fieldsOf(model)

describe("The form of a model", () => {
  it("keeps all of a price when something else is changed", () => {
    assert.deepStrictEqual(entryOf({ ...saved, temperature: "0" }, "", saved).price, price)
  })

  it("saves what was set for the model, and fixes nothing that follows its provider", () => {
    const usual = { provider: "openai", model: "gpt-5" } as const
    assert.deepStrictEqual(entryOf(saved, "", saved), { ...usual, price })
    const none = fieldsOf({ ...model, overrides: [] })
    assert.deepStrictEqual(entryOf(none, "", none), usual)
    const all = fieldsOf({ ...model, overrides: ["base_url", "context_tokens", "temperature"] })
    assert.deepStrictEqual(entryOf(all, "", all), {
      ...usual,
      base_url: "https://api.openai.com/v1",
      context_tokens: 400_000,
      temperature: 1
    })
  })

  it("gives another model no price that was not typed for it", () => {
    assert.isUndefined(entryOf({ ...saved, model: "gpt-5-mini" }, "", saved).price)
    assert.deepStrictEqual(entryOf({ ...saved, model: "gpt-5-mini", cached_input: "" }, "", saved).price, {
      input: 1.25,
      output: 10
    })
  })

  it("sends a price that was typed for a new model, and none without one", () => {
    const typed = { ...emptyModel, model: "m", input: "1", output: "2" }
    assert.deepStrictEqual(entryOf(typed, "").price, { input: 1, output: 2 })
    assert.isUndefined(entryOf({ ...emptyModel, model: "m" }, "").price)
  })
})

describe("The form of an agent", () => {
  it("says what is no number, and what is no kind of memory", () => {
    const form = { ...emptyAgent.texts, max_cost: "5 EUR", max_iterations: " 12 ", memory: "off", model: "1x" }
    assert.strictEqual(faultOf(form, "max_cost"), "Must be a number")
    assert.strictEqual(faultOf(form, "memory"), "Must be shared or none")
    for (const name of ["max_iterations", "max_tokens_total", "model"] as const) assert.isUndefined(faultOf(form, name))
  })
})
