import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "effect/FastCheck"
import { Model } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { callsOf, generate, isBody, modelLayer, question, request, resultsOf } from "./remote.ts"

describe.each(["openai", "local", "anthropic"] as const)("The model of %s", (provider) => {
  it.scopedLive("answers with the model's text and its count of tokens", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "Three.", usage: { input: 11, output: 2 } })
      const { inputTokens, message, outputTokens } = yield* generate(server.settings(provider))
      assert.deepStrictEqual(message, { role: "assistant", content: "Three.", tool_calls: [] })
      assert.deepStrictEqual([inputTokens, outputTokens], [11, 2])
      const [seen] = yield* server.requests
      const { authorization, "x-api-key": key } = seen?.headers ?? {}
      assert.strictEqual(provider === "anthropic" ? `Bearer ${key}` : authorization, "Bearer key-for-tests")
    }))

  it.scopedLive("sends the whole conversation and reads tool calls", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        { text: "Counting.", calls: [{ name: "count", arguments: { of: "é" } }, { name: "count", arguments: "" }] },
        { text: "Two." }
      )
      const settings = server.settings(provider)
      const first = yield* generate(settings)
      assert.deepStrictEqual(callsOf(first.message), [["count", "{\"of\":\"é\"}"], ["count", "{}"]])
      const results = resultsOf(first.message, "1")
      const second = yield* generate(settings, { ...request, messages: [question, first.message, ...results] })
      assert.strictEqual(second.message.content, "Two.")
      const body = (yield* server.requests)[1]?.body ?? ""
      for (const { id } of first.message.tool_calls) assert.strictEqual(body.split(id).length, 3)
      assert.include(body, "Be brief.")
      assert.notInclude(body, "$schema")
    }))

  it.scopedLive("tells a refusal, a cut and a filtered answer apart", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const settings = server.settings(provider)
      yield* server.script(
        { refusal: "I won't." },
        { text: "Half", finish: "length" },
        { text: "", finish: "length" },
        { text: "", finish: "content_filter" },
        { calls: [{ name: "count", arguments: "{\"of\": \"bea" }], finish: "length" }
      )
      assert.strictEqual((yield* generate(settings)).message.content, "I won't.")
      const half = yield* generate(settings)
      assert.strictEqual(half.message.content, "Half")
      assert.include(half.cut, "output limit")
      const empty = yield* generate(settings)
      assert.strictEqual(empty.message.content, "")
      assert.include(empty.cut, "fake-r3 reached its output limit before it wrote an answer: ask for less at once")
      const filtered = yield* Effect.flip(generate(settings))
      assert.strictEqual(filtered._tag, "ModelRejected")
      assert.include(filtered.message, "content filter")
      const { message } = yield* generate(settings)
      assert.deepStrictEqual(callsOf(message), [["count", "{\"of\": \"bea"]])
    }))
})

describe.each(["openai", "local"] as const)("The dialect of %s", (provider) => {
  const isResponses = provider === "openai"

  it.scopedLive("shows pictures beside the text of their message, and counts them as pictures", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "A pixel.", usage: null })
      const picture = `data:image/png;base64,${"A".repeat(400_000)}`
      const messages = [{ role: "user" as const, content: "What is it?", imageUrls: [picture, picture] }]
      const { inputTokens } = yield* generate(server.settings(provider), { ...request, messages })
      const [body] = yield* server.bodies
      const content = isResponses
        ? [
          { type: "input_text", text: "What is it?" },
          { type: "input_image", detail: "auto", image_url: picture },
          { type: "input_image", detail: "auto", image_url: picture }
        ]
        : [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: picture } },
          { type: "image_url", image_url: { url: picture } }
        ]
      const sent = isBody(body) ? body[isResponses ? "input" : "messages"] : []
      assert.deepStrictEqual(Array.isArray(sent) ? sent.at(-1) : null, { role: "user", content })
      assert.isAbove(inputTokens, 2_000)
      assert.isBelow(inputTokens, 3_000)
    }))

  it.scopedLive("streams the same answer that it gives in one piece", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const model = yield* Effect.map(Layer.build(modelLayer(server.settings(provider))), Context.get(Model))
      for (const turn of fc.sample(turns, 25)) {
        yield* server.script(turn, turn)
        const shown: Array<string> = []
        const whole = yield* model.generate(request)
        const streamed = yield* model.generate({
          ...request,
          onText: (delta) => Effect.sync(() => void shown.push(delta))
        })
        assert.deepStrictEqual({ ...streamed, inputTokens: 0 }, { ...whole, inputTokens: 0 })
        assert.strictEqual(shown.join(""), whole.message.content)
      }
    }))

  it.scopedLive("passes over items, fields and events that it does not know", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const turn: ModelTurn = { text: "Fine.", calls: [{ name: "count" }], noise: true, usage: null }
      yield* server.script(turn, turn)
      const whole = yield* generate(server.settings(provider))
      const streamed = yield* generate(server.settings(provider), { ...request, onText: () => Effect.void })
      for (const { inputTokens, message, outputTokens } of [whole, streamed]) {
        assert.strictEqual(message.content, "Fine.")
        assert.deepStrictEqual(callsOf(message), [["count", "{}"]])
        assert.isAbove(inputTokens, 0)
        assert.isAbove(outputTokens, 0)
      }
    }))

  it.scopedLive("reads an answer in one piece where it asked for a stream", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "At once.", unstreamed: true })
      const shown: Array<string> = []
      yield* generate(server.settings(provider), {
        ...request,
        onText: (delta) => Effect.sync(() => void shown.push(delta))
      })
      assert.deepStrictEqual(shown, ["At once."])
    }))

  it.scopedLive("gives a call another id where the model repeats one or gives none", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const calls = ["same", "same", ""].map((id) => ({ name: "count", id }))
      yield* server.script({ calls }, { calls })
      const settings = server.settings(provider)
      const first = yield* generate(settings)
      const messages = [question, first.message, ...resultsOf(first.message, "1")]
      const second = yield* generate(settings, { ...request, messages })
      const ids = [...first.message.tool_calls, ...second.message.tool_calls].map(({ id }) => id)
      assert.strictEqual(ids[0], "same")
      assert.strictEqual(new Set(ids).size, 6)
      assert.isTrue(ids.every((id) => id !== ""))
    }))
})

const words = fc.string({ unit: "grapheme", maxLength: 60 })

const turns: fc.Arbitrary<ModelTurn> = fc.record({
  text: words.filter((text) => text.trim() !== ""),
  calls: fc.array(
    fc.record({ name: fc.constantFrom("count", "look"), arguments: fc.dictionary(words, words, { maxKeys: 3 }) }),
    { maxLength: 4 }
  ).map((calls) => calls.map((call, index) => ({ ...call, id: `call_${index}` }))),
  chunk: fc.integer({ min: 1, max: 9 }),
  packet: fc.integer({ min: 1, max: 400 }),
  noise: fc.boolean(),
  usage: fc.record({ input: fc.nat(), output: fc.nat() })
})
