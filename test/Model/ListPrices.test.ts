import { assert, describe, it } from "@effect/vitest"
import { costOf } from "@troupe/domain/ModelPrice"
import { Option } from "effect"
import { knownPriceOf } from "../../src/Model/ListPrices.ts"

const at = (_tag: "anthropic" | "gemini" | "local" | "openai", baseUrl: string, model: string) => ({
  _tag,
  baseUrl,
  model,
  apiKey: Option.none()
})
const openai = (model: string) => at("openai", "https://api.openai.com/v1", model)
const google = "https://generativelanguage.googleapis.com/v1beta/openai"

describe("The list price of a model", () => {
  it.each([
    [openai("gpt-4.1"), { input: 2, output: 8, cached_input: 0.5 }],
    [openai("gpt-5.1-2025-11-13"), { input: 1.25, output: 10, cached_input: 0.125 }],
    [openai("o3-pro"), { input: 20, output: 80 }],
    [at("anthropic", "https://api.anthropic.com/v1", "claude-haiku-4-5-20251001"), {
      input: 1,
      output: 5,
      cached_input: 0.1
    }],
    [at("gemini", google, "models/gemini-2.5-flash"), { input: 0.3, output: 2.5, cached_input: 0.03 }]
  ])("of $0.model is known at its maker", (provider, price) => {
    assert.deepStrictEqual(knownPriceOf(provider, {}), price)
  })

  it("is not known of other models, nor at other hosts, whose prices are their own", () => {
    const others = [
      openai("gpt-99"),
      openai("gpt-4.1-tuned"),
      at("openai", "https://gateway.example.org/v1", "gpt-4.1"),
      at("openai", "not an address", "gpt-4.1"),
      at("local", "http://127.0.0.1:11434/v1", "gpt-4.1"),
      at("anthropic", "https://api.anthropic.com/v1", "gpt-4.1"),
      { _tag: "offline" as const }
    ]
    for (const provider of others) assert.isUndefined(knownPriceOf(provider, {}))
  })

  it("gives way to MODEL_PRICES, also under another spelling of the name", () => {
    const given = { "openai/gpt-4.1": { input: 1, output: 1 } }
    assert.deepStrictEqual(knownPriceOf(openai("gpt-4.1-2025-04-14"), given), { input: 1, output: 1 })
  })
})

describe("The cost of a call", () => {
  it("counts cached input at its price, if there is one", () => {
    assert.strictEqual(costOf({ input: 2, output: 8, cached_input: 0.5 }, [1_000_000, 100_000], 400_000), 2.2)
    assert.strictEqual(costOf({ input: 2, output: 8 }, [1_000_000, 100_000], 400_000), 2.8)
    assert.strictEqual(costOf({ input: 2, output: 8, cached_input: 0 }, [10, 0], 400_000), 0)
  })
})
