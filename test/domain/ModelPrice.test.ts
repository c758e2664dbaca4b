import { assert, describe, it } from "@effect/vitest"
import { type ModelPrices, priceOf } from "@troupe/domain/ModelPrice"

const one = { input: 1, output: 2 }
const two = { input: 3, output: 4 }

const rows: ReadonlyArray<readonly [what: string, prices: ModelPrices, model: string, price: typeof one | undefined]> =
  [
    ["under its own name, whatever else is there", { "gpt-5": two, "openai/gpt-5": one }, "openai/gpt-5", one],
    ["without the maker that a gateway writes", { "gpt-5": one }, "openai/gpt-5", one],
    ["with the maker in the price", { "openai/gpt-5": one }, "gpt-5", one],
    ["behind two makers", { "claude-sonnet-4": one }, "vertex/anthropic/claude-sonnet-4", one],
    ["as Google's API lists it", { "gemini-2.5-flash": one }, "models/gemini-2.5-flash", one],
    ["in another case", { "GPT-5": one }, "gpt-5", one],
    ["of a dated version", { "gpt-4o": one }, "gpt-4o-2024-08-06", one],
    ["of a version dated without dashes", { "claude-sonnet-4": one }, "claude-sonnet-4-20250514", one],
    ["of a version dated behind an at sign", { "claude-sonnet-4": one }, "claude-sonnet-4@20250514", one],
    ["of a numbered version", { "gemini-1.5-pro": one }, "gemini-1.5-pro-002", one],
    ["of a version dated by month and day", { "gpt-4": one }, "gpt-4-0613", one],
    ["of the newest version", { "claude-3-5-haiku": one }, "claude-3-5-haiku-latest", one],
    ["under the tag of a local model", { "llama3.2": one }, "llama3.2:latest", one],
    ["where only the price is dated", { "gpt-4o-2024-08-06": one }, "gpt-4o", one],
    ["of the nearest name", { "gpt-4o": one, "gpt-4o-2024-05-13": two }, "gpt-4o-2024-11-20", one],
    ["that two versions agree on", { "gpt-4o-2024-05-13": one, "gpt-4o-2024-08-06": one }, "gpt-4o", one],
    ["not where two versions differ", { "gpt-4o-2024-05-13": one, "gpt-4o-2024-08-06": two }, "gpt-4o", undefined],
    ["not of another dated version", { "gpt-4o-2024-05-13": one }, "gpt-4o-2024-08-06", undefined],
    ["not of a smaller model", { "gpt-5": one }, "gpt-5-mini", undefined],
    ["not of another size of a local model", { "llama3.2": one }, "llama3.2:1b", undefined],
    ["not of a free variant", { "deepseek-r1": one }, "deepseek/deepseek-r1:free", undefined],
    ["not of another model", { "gpt-5": one }, "o3", undefined],
    ["not without prices", {}, "gpt-5", undefined]
  ]

describe("The price of a model is found", () => {
  it.each(rows)("%s", (_, prices, model, price) => {
    assert.deepStrictEqual(priceOf(prices, model), price)
  })
})
