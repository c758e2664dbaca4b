import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as fc from "effect/FastCheck"
import { modelLayer } from "../../src/Model/LanguageModels.ts"
import { Model } from "../../src/Model/Model.ts"
import { scriptedHttp } from "../support/ScriptedHttp.ts"

const message = "How many is it that you count?"

const dialects = [
  {
    provider: "openai",
    names: ["input_tokens", "output_tokens"],
    body: (usage: unknown) => ({ output: [{ type: "message", content: [{ text: "Three." }] }], usage })
  },
  {
    provider: "local",
    names: ["prompt_tokens", "completion_tokens"],
    body: (usage: unknown) => ({ choices: [{ message: { content: "Three." }, finish_reason: "stop" }], usage })
  }
] as const

/** What a provider of the dialect is taken to have counted when this is its answer. */
const countOf = ({ body, provider }: typeof dialects[number], usage: unknown) =>
  Effect.flatMap(
    Model,
    (model) => model.generate({ system: "", messages: [{ role: "user", content: message }], tools: { tools: [] } })
  ).pipe(
    Effect.map((response) => {
      assert.strictEqual(response.message.content, "Three.")
      return [response.inputTokens, response.outputTokens] as const
    }),
    Effect.provide(
      modelLayer({
        temperature: 1,
        provider: { _tag: provider, baseUrl: "http://p", apiKey: Option.none(), model: "m", embeddingModel: "e" }
      }).pipe(
        Layer.provide(scriptedHttp(() => ({ status: 200, body: JSON.stringify(body(usage)) })))
      )
    )
  )

describe.each(dialects)("Usage by $provider", (dialect) => {
  const { names: [input, output] } = dialect
  it.effect("counts what is a number of tokens, rounded, also as text", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* countOf(dialect, { [input]: 11, [output]: 0 }), [11, 0])
      assert.deepStrictEqual(yield* countOf(dialect, { [input]: 11.4, [output]: "2.6" }), [11, 3])
    }))

  it.effect("estimates where there is none, or none that can be true", () =>
    Effect.gen(function*() {
      const estimate = yield* countOf(dialect, undefined)
      assert.isAbove(estimate[0], message.length / 4)
      assert.isAtLeast(estimate[1], 1)
      for (const odd of [-1, 1e9, 1e300, "many", "", "-5", "0x10", true, null, [7], { of: 7 }]) {
        assert.deepStrictEqual(yield* countOf(dialect, { [input]: odd, [output]: odd }), estimate)
      }
      for (const odd of [null, 5, "12", [], true]) assert.deepStrictEqual(yield* countOf(dialect, odd), estimate)
    }))

  it.effect.prop(
    "is a sane count whatever the provider says",
    { usage: fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(input, output), fc.jsonValue())) },
    ({ usage }) =>
      Effect.map(countOf(dialect, usage), (counts) => {
        for (const count of counts) assert.isTrue(Number.isSafeInteger(count) && count >= 0 && count <= 1e8)
      }),
    { fastCheck: { numRuns: 50 } }
  )
})
