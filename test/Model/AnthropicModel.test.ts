import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Duration, Effect, Schema } from "effect"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelServer } from "../support/ModelServer.ts"
import { generate, modelLayer, question, request } from "./remote.ts"

const settingsOf = (server: ModelServer, overrides: Parameters<ModelServer["settings"]>[1] = {}) =>
  server.settings("anthropic", { model: "claude-fake", ...overrides })

const Body = Schema.Struct({
  model: Schema.String,
  max_tokens: Schema.Number,
  temperature: Schema.optional(Schema.Number),
  system: Schema.Unknown,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.Array(Schema.Unknown) })),
  tools: Schema.optional(Schema.Array(Schema.Unknown))
})

const bodiesOf = (server: ModelServer) =>
  Effect.flatMap(server.bodies, Effect.forEach((body) => Effect.orDie(Schema.decodeUnknown(Body)(body))))

describe("Anthropic's model", () => {
  it.scopedLive("answers over several turns with tools, and streams its text", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        {
          text: "Counting.",
          calls: [{ name: "count", id: "toolu_1", arguments: { of: "é" } }, { name: "count", id: "toolu_2" }],
          usage: { input: 11, output: 7 },
          chunk: 3
        },
        { text: "There are two.", chunk: 4 }
      )
      const shown: Array<string> = []
      const onText = (delta: string) => Effect.sync(() => void shown.push(delta))
      const settings = settingsOf(server)
      const first = yield* generate(settings, { ...request, onText })
      assert.strictEqual(first.message.content, "Counting.")
      assert.deepStrictEqual(first.message.tool_calls.map(({ arguments: args, id, name }) => [id, name, args]), [
        ["toolu_1", "count", "{\"of\":\"é\"}"],
        ["toolu_2", "count", "{}"]
      ])
      assert.deepStrictEqual([first.inputTokens, first.outputTokens, first.cut], [11, 7, undefined])
      const results = first.message.tool_calls.map(({ id, name }): Message => ({
        role: "tool",
        tool_call_id: id,
        name,
        content: "1"
      }))
      const note: Message = { role: "system", content: "Half of the time is over. \ud800" }
      const messages = [question, first.message, ...results, note]
      const second = yield* generate(settings, { ...request, messages, onText })
      assert.strictEqual(second.message.content, "There are two.")
      assert.strictEqual(shown.join(""), "Counting.There are two.")
      const [seen] = yield* server.requests
      assert.deepInclude(seen?.headers, { "x-api-key": "key-for-tests", "anthropic-version": "2023-06-01" })
      const [, body] = yield* bodiesOf(server)
      assert.deepStrictEqual(body?.tools, [
        { name: "count", description: "Counts", input_schema: { type: "object", properties: {} } }
      ])
      assert.deepStrictEqual(body?.system, [{
        type: "text",
        text: "Be brief.",
        cache_control: { type: "ephemeral" }
      }])
      assert.deepStrictEqual(body?.messages, [
        { role: "user", content: [{ type: "text", text: "How many?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Counting." },
            { type: "tool_use", id: "toolu_1", name: "count", input: { of: "é" } },
            { type: "tool_use", id: "toolu_2", name: "count", input: {} }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "\"1\"", is_error: false },
            { type: "tool_result", tool_use_id: "toolu_2", content: "\"1\"", is_error: false },
            {
              type: "text",
              text: "[Note from the system]\nHalf of the time is over. \uFFFD",
              cache_control: { type: "ephemeral" }
            }
          ]
        }
      ])
    }))

  it.scopedLive("is shown pictures", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "A pixel." })
      const imageUrls = ["data:image/png;base64,QUJD"]
      const pictured: ModelRequest = { ...request, messages: [{ role: "user", content: "What is it?", imageUrls }] }
      yield* generate(settingsOf(server, { model: "claude-sonnet-4-5" }), pictured)
      const [body] = yield* bodiesOf(server)
      assert.deepStrictEqual(body?.messages[0]?.content[1], {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "QUJD" },
        cache_control: { type: "ephemeral" }
      })
      const { sees } = yield* Effect.provide(Model, modelLayer(settingsOf(server, { model: "claude-sonnet-4-5" })))
      assert.isTrue(sees("image/png"))
    }))

  it.scopedLive("tells a cut and a withheld answer apart", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const cutCall = [{ name: "count", arguments: "{\"of\": \"bea" }]
      yield* server.script(
        { text: "Half", finish: "length" },
        { text: "", finish: "content_filter" },
        { calls: cutCall, finish: "length" }
      )
      const half = yield* generate(settingsOf(server))
      assert.strictEqual(half.message.content, "Half")
      assert.include(half.cut, "output limit")
      const withheld = yield* Effect.flip(generate(settingsOf(server)))
      assert.strictEqual(withheld._tag, "ModelRejected")
      const { message } = yield* generate(settingsOf(server))
      assert.deepStrictEqual(message.tool_calls.map((call) => call.arguments), ["{\"of\": \"bea"])
    }))

  it.scopedLive("may call a tool that there is not, so that it is told", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "Let me look.", calls: [{ name: "look", arguments: { at: "a" } }] })
      const { message } = yield* generate(settingsOf(server))
      assert.strictEqual(message.content, "Let me look.")
      assert.deepStrictEqual(message.tool_calls.map(({ arguments: args, name }) => [name, args]), [
        ["look", "{\"at\":\"a\"}"]
      ])
    }))

  it.scopedLive("is asked again after what may pass, and with less after what it refuses", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const refusal = (message: string) => ({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message } }
      })
      const soon = { "retry-after-ms": "1" }
      yield* server.script(
        {
          status: 529,
          headers: soon,
          body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
        },
        { status: 429, headers: soon, body: { type: "error", error: { type: "rate_limit_error", message: "Slow" } } },
        refusal("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-fake"),
        refusal("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-fake"),
        refusal("`temperature` is not supported with this model."),
        { text: "At last." }
      )
      const { message } = yield* generate(settingsOf(server))
      assert.strictEqual(message.content, "At last.")
      const bodies = yield* bodiesOf(server)
      assert.deepStrictEqual(bodies.map((body) => body.max_tokens), [32_000, 32_000, 32_000, 16_384, 8_192, 8_192])
      assert.deepStrictEqual(bodies.map((body) => body.temperature), [1, 1, 1, 1, 1, undefined])
    }))

  it.scopedLive("fails with the errors that every provider has", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const settings = settingsOf(server, { maxRetries: 0, requestTimeout: Duration.seconds(2) })
      const error = (type: string, message: string) => ({ type: "error", error: { type, message } })
      const stream = { "content-type": "text/event-stream" }
      const cases = [
        [
          { status: 401, body: error("authentication_error", "invalid x-api-key") },
          "ModelRejected",
          "ANTHROPIC_API_KEY"
        ],
        [{ status: 404, body: error("not_found_error", "model: claude-fake") }, "ModelRejected", "ANTHROPIC_MODEL"],
        [{ status: 500, body: error("api_error", "Internal") }, "ModelUnavailable", "Anthropic failed (500)"],
        [
          { status: 200, headers: stream, body: `data: ${JSON.stringify(error("overloaded_error", "Busy"))}\n\n` },
          "ModelUnavailable",
          "Busy"
        ],
        [
          { status: 200, headers: stream, body: "data: {\"type\":\"unheard_of\"}\n\n" },
          "ModelUnavailable",
          "can't be read"
        ],
        [{ status: 200, headers: stream, body: "" }, "ModelUnavailable", "broke off"],
        [{ cut: true, text: "never whole" }, "ModelUnavailable", "hung up"],
        [{ hang: true }, "ModelUnavailable", "MODEL_REQUEST_TIMEOUT"]
      ] as const
      for (const [turn, tag, words] of cases) {
        yield* server.script(turn)
        const failure = yield* Effect.flip(generate(settings))
        assert.strictEqual(failure._tag, tag, failure.message)
        assert.include(failure.message, words)
        assert.notInclude(failure.message, "key-for-tests")
      }
    }))

  it.scopedLive("knows a conversation that is too long, whatever the output limit", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const message = "prompt is too long: 210000 tokens > 200000 maximum"
      const tooLong = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } }
      yield* server.script(tooLong, tooLong)
      assert.strictEqual((yield* Effect.flip(generate(settingsOf(server))))._tag, "ContextOverflow")
      assert.deepStrictEqual((yield* bodiesOf(server)).map((body) => body.max_tokens), [32_000, 4_096])
    }))

  it.scopedLive("is probed by the list of its models", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({
        script: ({ headers, kind }) =>
          kind === "models" && headers["x-api-key"] !== "right"
            ? { status: 401, body: { type: "error", error: { type: "authentication_error", message: "no" } } }
            : undefined
      })
      const probe = (apiKey: string) =>
        Effect.flatMap(Model, (model) => model.probe).pipe(Effect.provide(modelLayer(settingsOf(server, { apiKey }))))
      yield* probe("right")
      assert.include((yield* Effect.flip(probe("wrong"))).message, "ANTHROPIC_API_KEY")
    }))
})
