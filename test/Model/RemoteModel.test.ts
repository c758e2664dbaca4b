import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect, Predicate, Schema } from "effect"
import * as fc from "effect/FastCheck"
import { Model } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { generate, modelLayer, question, request } from "./remote.ts"

const callsOf = (
  message: { readonly tool_calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }> }
) => message.tool_calls.map(({ arguments: args, name }) => [name, args])

const bodyShape = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isBody = Schema.is(bodyShape)

for (const provider of ["openai", "local"] as const) {
  const isResponses = provider === "openai"

  describe(isResponses ? "the Responses dialect" : "the chat-completions dialect", () => {
    it.scopedLive("answers with the model's text and its count of tokens", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        yield* server.script({ text: "Three.", usage: { input: 11, output: 2 } })
        const { inputTokens, message, outputTokens } = yield* generate(server.settings(provider))
        assert.deepStrictEqual(message, { role: "assistant", content: "Three.", tool_calls: [] })
        assert.deepStrictEqual([inputTokens, outputTokens], [11, 2])
        const [seen] = yield* server.requests
        assert.strictEqual(seen?.headers.authorization, "Bearer key-for-tests")
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
        const results = first.message.tool_calls.map(({ id, name }): Message => ({
          role: "tool",
          tool_call_id: id,
          name,
          content: "1"
        }))
        const second = yield* generate(settings, { ...request, messages: [question, first.message, ...results] })
        assert.strictEqual(second.message.content, "Two.")
        const body = (yield* server.requests)[1]?.body ?? ""
        for (const { id } of first.message.tool_calls) assert.strictEqual(body.split(id).length, 3)
        assert.include(body, "Be brief.")
        assert.notInclude(body, "$schema")
      }))

    it.scopedLive("shows pictures beside the text of their message, and counts them as pictures", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        yield* server.script({ text: "A pixel.", usage: null })
        const picture = `data:image/png;base64,${"A".repeat(400_000)}`
        const messages = [{ role: "user" as const, content: "What is it?", pictures: [picture, picture] }]
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
        const run = (turn: ModelTurn) =>
          Effect.gen(function*() {
            yield* server.script(turn, turn)
            const shown: Array<string> = []
            const whole = yield* generate(server.settings(provider))
            const streamed = yield* generate(server.settings(provider), {
              ...request,
              onText: (delta) => Effect.sync(() => void shown.push(delta))
            })
            assert.deepStrictEqual({ ...streamed, inputTokens: 0 }, { ...whole, inputTokens: 0 })
            assert.strictEqual(shown.join(""), turn.refusal === undefined || isResponses ? whole.message.content : "")
          })
        for (const turn of fc.sample(turns, 60)) yield* run(turn)
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

    it.scopedLive("reads an answer whose length is not announced", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        yield* server.script({ text: "long é ".repeat(5000), chunked: true })
        const { message } = yield* generate(server.settings(provider))
        assert.strictEqual(message.content, "long é ".repeat(5000))
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
        const second = yield* generate(settings, { ...request, messages: [question, first.message] })
        const ids = [...first.message.tool_calls, ...second.message.tool_calls].map(({ id }) => id)
        assert.strictEqual(ids[0], "same")
        assert.strictEqual(new Set(ids).size, 6)
        assert.isTrue(ids.every((id) => id !== ""))
      }))

    it.scopedLive("tells a refusal, a cut and a filtered answer apart", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider)
        yield* server.script(
          { refusal: "I won't." },
          { text: "Half", finish: "length" },
          { text: "", finish: "length" },
          { text: "", finish: "content_filter" }
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
      }))
  })
}

describe("what a call costs", () => {
  const chunk = (finish: string, usage: object, content = "") => ({
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
    usage
  })

  it.scopedLive("counts what a model thought, where only the total tells of it", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const usage = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 1_016 }
      yield* server.script({ status: 200, body: chunk("stop", usage, "Four.") })
      const { inputTokens, outputTokens } = yield* generate(server.settings("gemini"))
      assert.deepStrictEqual([inputTokens, outputTokens], [20, 996])
    }))

  it.scopedLive("counts the tries that brought nothing, whether the next one answers or none does", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const nothing = { status: 200, body: chunk("unheard_of", { prompt_tokens: 7, completion_tokens: 2 }) }
      yield* server.script(nothing, { text: "Done.", usage: { input: 10, output: 1 } })
      const answered = yield* generate(server.settings("local", { maxRetries: 1 }))
      assert.deepStrictEqual([answered.inputTokens, answered.outputTokens], [17, 3])
      yield* server.script(nothing, nothing)
      const failed = yield* Effect.flip(generate(server.settings("local", { maxRetries: 1 })))
      assert.deepInclude(failed, { _tag: "ModelUnavailable", tokens: [14, 4] })
      yield* server.script({ status: 200, body: chunk("content_filter", { prompt_tokens: 9, completion_tokens: 0 }) })
      assert.deepInclude(yield* Effect.flip(generate(server.settings("local"))), { tokens: [9, 0] })
    }))

  it.scopedLive("leaves it to a task with a token budget whether it asks again after nothing", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ status: 200, body: chunk("unheard_of", { prompt_tokens: 7, completion_tokens: 2 }) })
      const { cut, message } = yield* generate(server.settings("local"), { ...request, maxOutputTokens: 500 })
      assert.strictEqual(message.content, "")
      assert.include(cut, "answered with nothing")
      assert.lengthOf(yield* server.requests, 1)
    }))
})

describe("an output limit that the model does not allow", () => {
  it.scopedLive("is lowered until the model takes it, and from then on at once", () =>
    Effect.gen(function*() {
      const refusal = (most: number): ModelTurn => ({
        status: 400,
        body: { error: { message: `max_tokens is too large: this model supports at most ${most} completion tokens` } }
      })
      const server = yield* makeModelServer()
      yield* server.script(refusal(16_384), refusal(16_384), { text: "Done." }, { text: "Again." })
      const asking = { ...request, maxOutputTokens: 90_000 }
      const said = yield* Effect.flatMap(Model, (model) => Effect.replicateEffect(model.generate(asking), 2)).pipe(
        Effect.provide(modelLayer(server.settings("local")))
      )
      assert.deepStrictEqual(said.map(({ message }) => message.content), ["Done.", "Again."])
      const limits = (yield* server.bodies).map((body) => isBody(body) ? body["max_tokens"] : undefined)
      assert.deepStrictEqual(limits, [90_000, 32_768, 16_384, 16_384])
    }))
})

describe("what only the provider understands", () => {
  it.scopedLive("sends encrypted reasoning back in front of the call that it led to", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ reasoning: "c2VjcmV0", calls: [{ name: "count" }] }, { text: "Done." })
      const { message } = yield* generate(server.settings("openai"))
      yield* generate(server.settings("openai"), { ...request, messages: [question, message] })
      const [first, second] = yield* server.bodies
      assert.deepInclude(first, { store: false, include: ["reasoning.encrypted_content"], parallel_tool_calls: true })
      assert.isTrue(isBody(second) && Array.isArray(second.input))
      const items = isBody(second) && Array.isArray(second.input) ? second.input : []
      assert.deepStrictEqual(items.slice(1).map((item) => item.type), ["reasoning", "function_call"])
      assert.strictEqual(items[1].encrypted_content, "c2VjcmV0")
    }))

  it.scopedLive("keeps it from another model", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ reasoning: "c2VjcmV0", calls: [{ name: "count" }] })
      const { message } = yield* generate(server.settings("openai"))
      const later = { ...request, messages: [question, message] }
      yield* generate(server.settings("openai", { model: "other-r0" }), later)
      yield* generate(server.settings("gemini"), later)
      for (const { body } of (yield* server.requests).slice(1)) assert.notInclude(body, "c2VjcmV0")
    }))

  it.scopedLive("sends Google's thought signatures back with their calls", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const turn: ModelTurn = { calls: [{ name: "count", signature: "sig-1" }, { name: "count" }] }
      yield* server.script(turn, { text: "Done." }, turn, { text: "Done." })
      for (const onText of [undefined, () => Effect.void]) {
        const given = onText === undefined ? request : { ...request, onText }
        const { message } = yield* generate(server.settings("gemini"), given)
        yield* generate(server.settings("gemini"), { ...given, messages: [question, message] })
        const body = (yield* server.requests).at(-1)?.body ?? ""
        assert.include(body, "},\"extra_content\":{\"google\":{\"thought_signature\":\"sig-1\"}}")
      }
    }))
})

describe("a chat template's demands", () => {
  it.scopedLive("are met: one system message, the user first, arguments that are objects, whole characters", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ calls: [{ name: "bad name!", arguments: "{not json" }] }, { text: "Done." })
      const { message } = yield* generate(server.settings("local"))
      assert.deepStrictEqual(callsOf(message), [["bad_name_", "{not json"]])
      const summary: Message = { role: "system", content: "Before: \ud800" }
      yield* generate(server.settings("local"), { ...request, messages: [summary, message] })
      const [, body] = yield* server.bodies
      assert.isTrue(Predicate.hasProperty(body, "messages"))
      const text = JSON.stringify(body)
      assert.strictEqual(text.split("\"role\":\"system\"").length, 2)
      assert.include(text, "[Note from the system]\\nBefore: \uFFFD")
      assert.include(text, JSON.stringify(JSON.stringify({ unreadable: "{not json" })))
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
