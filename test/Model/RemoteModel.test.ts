import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Duration, Effect, Fiber, Layer, Predicate, Schema } from "effect"
import * as fc from "effect/FastCheck"
import * as LanguageModels from "../../src/Model/LanguageModels.ts"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import { Transport } from "../../src/Model/Transport.ts"
import type { ModelSettings } from "../../src/Runtime/Settings.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"

const question: Message = { role: "user", content: "How many?" }

const tools = {
  tools: [{
    name: "count",
    description: "Counts",
    parameters: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} }
  }]
}

const request: ModelRequest = { system: "Be brief.", messages: [question], tools }

const generate = (settings: ModelSettings, given: ModelRequest = request) =>
  Effect.flatMap(Model, (model) => model.generate(given)).pipe(Effect.provide(modelLayer(settings)))

const callsOf = (
  message: { readonly tool_calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }> }
) => message.tool_calls.map(({ arguments: args, name }) => [name, args])

const bodyShape = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isBody = Schema.is(bodyShape)

const has = (body: unknown, key: string) => isBody(body) && key in body

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
        for (const turn of fc.sample(turns, { numRuns: 60, seed: 7 })) yield* run(turn)
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
        assert.match((yield* generate(settings)).message.content, /^Half\n\n\[The answer was cut off/)
        const cut = yield* Effect.flip(generate(settings))
        assert.strictEqual(cut._tag, "ModelRejected")
        assert.include(cut.message, "output limit")
        const filtered = yield* Effect.flip(generate(settings))
        assert.strictEqual(filtered._tag, "ModelRejected")
        assert.include(filtered.message, "content filter")
      }))

    it.scopedLive("tries again after what may pass", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const soon = { "retry-after-ms": "1" }
        yield* server.script(
          { status: 429, headers: soon, body: { error: { message: "slow down" } } },
          { status: 500, headers: soon, body: "" },
          { status: 503, headers: soon, body: "<html>" },
          { status: 408, headers: soon, body: "" },
          { text: "At last." }
        )
        const { message } = yield* generate(server.settings(provider))
        assert.strictEqual(message.content, "At last.")
        assert.lengthOf(yield* server.requests, 5)
      }))

    it.scopedLive("does not repeat what is refused for good", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        for (const status of [400, 401, 403, 404, 422]) {
          yield* server.script({ status, body: { error: { message: `no key-for-tests ${"x".repeat(5000)}` } } })
          const error = yield* Effect.flip(generate(server.settings(provider)))
          assert.strictEqual(error._tag, "ModelRejected")
          assert.include(error.message, `(${status})`)
          assert.notInclude(error.message, "key-for-tests")
          assert.isBelow(error.message.length, 400)
        }
        assert.lengthOf(yield* server.requests, 5)
      }))

    it.scopedLive("knows a conversation that is too long", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const errors = [
          { status: 400, body: { error: { code: "context_length_exceeded", message: "Too long." } } },
          { status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens" } } },
          { status: 400, body: [{ error: { message: "The input token count (9) exceeds the maximum number" } }] },
          { status: 400, body: { error: { type: "exceed_context_size_error", message: "request (9) exceeds" } } },
          { status: 413, body: "" },
          { status: 200, body: { status: "failed", error: { code: "context_length_exceeded" }, choices: [] } }
        ]
        for (const turn of errors) {
          yield* server.script(turn)
          assert.strictEqual((yield* Effect.flip(generate(server.settings(provider))))._tag, "ContextOverflow")
        }
      }))

    it.scopedLive("survives whatever a server sends", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider, { maxRetries: 0, requestTimeout: Duration.millis(200) })
        const stream = { "content-type": "text/event-stream" }
        const odd: ReadonlyArray<ModelTurn> = [
          { cut: true, text: "never whole" },
          { reset: true },
          { hang: true },
          { status: 200, body: "{\"choices\": [{" },
          { status: 200, body: "null" },
          { status: 200, body: "[]" },
          { status: 200, body: { choices: [], output: null } },
          { status: 200, body: { choices: [{ message: 7 }], output: 7 } },
          { status: 200, headers: stream, body: "data: {\"type\":\n\n" },
          {
            status: 200,
            headers: stream,
            body: "retry: 60000\n\nevent: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n"
          },
          { status: 200, headers: stream, body: "" },
          { status: 500, body: [[[{ error: { message: { deep: 1 } } }]]] },
          { status: 302, headers: { location: "http://elsewhere" }, body: "" }
        ]
        for (const turn of odd) {
          for (const given of [request, { ...request, onText: () => Effect.void }]) {
            yield* server.script(turn)
            const error = yield* Effect.flip(generate(settings, given))
            assert.include(["ModelRejected", "ModelUnavailable"], error._tag)
            assert.match(error.message, /\.$/)
          }
        }
      }))

    it.scopedLive("gives up reading an endless answer", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider)
        for (const chunked of [true, false]) {
          yield* server.script({ text: "x".repeat(17 << 20), chunked })
          const error = yield* Effect.flip(generate(settings))
          assert.strictEqual(error._tag, "ModelRejected")
          assert.include(error.message, "16 MiB")
        }
      }))

    it.scopedLive("says where nobody listens", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider, { maxRetries: 0 })
        const gone = { ...settings, provider: { ...settings.provider, baseUrl: "http://127.0.0.1:9/v1" } }
        const error = yield* Effect.flip(generate(gone))
        assert.strictEqual(error._tag, "ModelUnavailable")
        assert.include(error.message, "Check " + (isResponses ? "OPENAI_BASE_URL" : "LOCAL_MODEL_URL"))
      }))

    it.scopedLive("does without a parameter that the model refuses, from then on", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const refusal = {
          status: 400,
          body: { error: { message: "Unsupported parameter: 'temperature' is not supported with this model." } }
        }
        yield* server.script(refusal, { text: "One." }, { text: "Two." })
        const answers = yield* Effect.flatMap(Model, (model) =>
          Effect.all([model.generate(request), model.generate(request)])).pipe(
            Effect.provide(modelLayer(server.settings(provider)))
          )
        assert.deepStrictEqual(
          answers.map(({ message }) =>
            message.content
          ),
          ["One.", "Two."]
        )
        const bodies = yield* server.bodies
        assert.deepStrictEqual(bodies.map((body) => has(body, "temperature")), [true, false, false])
      }))

    it.scopedLive("hangs up when it is interrupted", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        for (const given of [request, { ...request, onText: () => Effect.void }]) {
          yield* server.script({ hang: true })
          const fiber = yield* Effect.fork(generate(server.settings(provider), given))
          yield* server.arrivals.take
          yield* Fiber.interrupt(fiber)
          yield* server.hangUps.take
        }
      }))

    it.scopedLive("probes the provider and its key", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer({
          script: ({ headers, kind }) =>
            kind === "models" && headers.authorization !== "Bearer right"
              ? { status: 401, body: { error: { message: "Incorrect API key provided: wro****" } } }
              : undefined
        })
        const probe = (apiKey: string) =>
          Effect.flatMap(Model, (model) => model.probe).pipe(
            Effect.provide(modelLayer(server.settings(provider, { apiKey })))
          )
        yield* probe("right")
        const error = yield* Effect.flip(probe("wrong"))
        assert.strictEqual(error._tag, "ModelRejected")
        assert.include(error.message, isResponses ? "check OPENAI_API_KEY" : "LOCAL_MODEL_URL")
      }))
  })
}

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

const modelLayer = (settings: ModelSettings) => Layer.provide(LanguageModels.layer(settings), Transport.layer)
