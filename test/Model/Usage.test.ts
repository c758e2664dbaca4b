import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as fc from "effect/FastCheck"
import { modelLayer } from "../../src/Model/LanguageModels.ts"
import { Model } from "../../src/Model/Model.ts"
import type { RemoteProvider } from "../../src/Model/ModelSettings.ts"
import { runsOf } from "../support/PropertyRuns.ts"
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

const responseTo = (
  { body }: Pick<typeof dialects[number], "body">,
  provider: RemoteProvider["_tag"],
  usage: unknown
) =>
  Effect.flatMap(
    Model,
    (model) => model.generate({ system: "", messages: [{ role: "user", content: message }], tools: { tools: [] } })
  ).pipe(
    Effect.provide(
      modelLayer({
        temperature: 1,
        provider: { _tag: provider, baseUrl: "http://p", apiKey: Option.none(), model: "m", embeddingModel: "e" }
      }).pipe(
        Layer.provide(scriptedHttp(() => ({ status: 200, body: JSON.stringify(body(usage)) })))
      )
    )
  )

/** What a provider of the dialect is taken to have counted when this is its answer. */
const countOf = (dialect: typeof dialects[number], usage: unknown) =>
  Effect.map(responseTo(dialect, dialect.provider, usage), ({ inputTokens, message, outputTokens }) => {
    assert.strictEqual(message.content, "Three.")
    return [inputTokens, outputTokens] as const
  })

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
    { fastCheck: { numRuns: runsOf(50) } }
  )
})

const [responses, chat] = dialects
const read = { prompt_tokens: 100, completion_tokens: 5 }

describe("Cached input", () => {
  it.effect.each(
    [
      ["OpenAI's Responses", responses, "openai", { input_tokens: 100, input_tokens_details: { cached_tokens: 64 } }],
      ["chat completions of OpenAI, vLLM and OpenRouter", chat, "local", {
        ...read,
        prompt_tokens_details: { audio_tokens: 0, cached_tokens: 64 }
      }],
      ["Google", chat, "gemini", { ...read, total_tokens: 120, prompt_tokens_details: { cached_tokens: 64 } }],
      ["DeepSeek", chat, "local", { ...read, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }],
      ["Moonshot", chat, "local", { ...read, prompt_tokens_details: null, cached_tokens: 64 }],
      ["a server that writes numbers as text", chat, "local", {
        ...read,
        prompt_tokens_details: { cached_tokens: "64" }
      }]
    ] as const
  )(
    "is counted as %s reports it",
    ([, dialect, provider, usage]) =>
      Effect.map(responseTo(dialect, provider, usage), ({ cachedTokens, inputTokens }) => {
        assert.deepStrictEqual([inputTokens, cachedTokens], [100, 64])
      })
  )

  it.effect("is none where the provider reports none that can be true, and at most the input", () =>
    Effect.gen(function*() {
      const cachedOf = (cached_tokens: unknown) =>
        Effect.map(
          responseTo(chat, "local", { ...read, prompt_tokens_details: { cached_tokens } }),
          ({ cachedTokens }) => cachedTokens
        )
      for (const odd of [undefined, null, 0, -5, 1e300, "many", true, [7]]) assert.isUndefined(yield* cachedOf(odd))
      assert.strictEqual(yield* cachedOf(500), 100)
    }))
})
