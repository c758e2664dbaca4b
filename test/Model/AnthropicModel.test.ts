import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect, Schema } from "effect"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelServer } from "../support/ModelServer.ts"
import { eventStream, generate, messageEnd, messageStart, modelLayer, question, request, resultsOf } from "./remote.ts"

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
      const results = resultsOf(first.message, "1")
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

  it.scopedLive("knows a conversation that is too long, whatever the output limit", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const message = "prompt is too long: 210000 tokens > 200000 maximum"
      const tooLong = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } }
      yield* server.script(tooLong, tooLong)
      assert.strictEqual((yield* Effect.flip(generate(settingsOf(server))))._tag, "ContextOverflow")
      assert.deepStrictEqual((yield* bodiesOf(server)).map((body) => body.max_tokens), [32_000, 4_096])
    }))
})

const call = [
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "toolu_1", name: "count", input: {} }
  },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
  { type: "content_block_stop", index: 0 }
]

/** Plays a stream, then a good answer, to a call without a limit of its own unless one is given. */
const answerAfter = (events: ReadonlyArray<object>, limit: { readonly maxOutputTokens?: number } = {}) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer()
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    yield* server.script({ status: 200, headers: eventStream, body }, { text: "At last." })
    const response = yield* generate(settingsOf(server), { ...request, ...limit })
    return { response, calls: (yield* server.requests).length }
  })

describe("A stream of Anthropic's", () => {
  it.scopedLive("counts what the provider's cache held and took in", () =>
    Effect.gen(function*() {
      const { response } = yield* answerAfter([...messageStart, ...call, ...messageEnd("tool_use")])
      assert.deepStrictEqual([response.inputTokens, response.cachedTokens, response.outputTokens], [543, 500, 2])
    }))

  it.scopedLive("is asked for again after an event that cannot be read, also behind a tool call", () =>
    Effect.gen(function*() {
      // More events than the client reads at once.
      const pings = Array.from({ length: 64 }, () => ({ type: "ping" }))
      const broken = { type: "content_block_start", index: "one", content_block: 7 }
      const { calls, response } = yield* answerAfter([
        ...messageStart,
        ...call,
        ...pings,
        broken,
        ...messageEnd("tool_use")
      ])
      assert.strictEqual(response.message.content, "At last.")
      assert.strictEqual(calls, 2)
    }))

  it.scopedLive("is asked for again when it is empty, but where the request set the limit itself", () =>
    Effect.gen(function*() {
      const empty = [...messageStart, ...messageEnd("pause_turn")]
      const again = yield* answerAfter(empty)
      assert.strictEqual(again.response.message.content, "At last.")
      assert.isUndefined(again.response.cut)
      const limited = yield* answerAfter(empty, { maxOutputTokens: 50 })
      assert.strictEqual(limited.calls, 1)
      assert.include(limited.response.cut, "answered with nothing")
    }))
})
