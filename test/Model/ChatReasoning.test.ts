import { assert, describe, it } from "@effect/vitest"
import { type AssistantMessage, Message } from "@troupe/domain/Message"
import { Context, Effect, Layer, Schema } from "effect"
import { Model } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { calling, type Json, live, provider, streamed, whole } from "./chatReplies.ts"
import { generate, modelLayer, question, request, resultsOf } from "./remote.ts"

/** The message that the model is sent back after its answer in one of the two forms. */
const returned = (turn: ModelTurn) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer()
    yield* server.script(turn, { text: "Done." })
    const { message, thinking } = yield* generate(
      server.settings(provider),
      turn.headers === undefined ? request : live
    )
    // The journal keeps it as JSON.
    const stored = yield* Schema.decode(Schema.parseJson(Message))(JSON.stringify(message))
    const messages = [question, stored, ...resultsOf(message, "1")]
    yield* generate(server.settings(provider), { ...request, messages })
    const [, body] = yield* server.bodies
    const { messages: sent } = yield* Schema.decodeUnknown(Bodies)(body)
    return { message, thinking, sent: sent[2] ?? {} }
  })

const Bodies = Schema.Struct({ messages: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })) })

describe("Reasoning beside a tool call", () => {
  it.scopedLive.each<readonly [string, unknown]>([
    ["reasoning_content", "They want a count."],
    ["reasoning", "They want a count."],
    ["reasoning_text", "They want a count."],
    ["thinking", "They want a count."],
    ["thought_signature", "c2lnbmVk"],
    ["reasoning_details", [{ type: "reasoning.text", text: "They want a count.", signature: "s", index: 0 }]],
    ["thinking_blocks", [{ type: "thinking", thinking: "They want a count.", signature: "s" }]],
    ["provider_specific_fields", { thought_signatures: ["s"] }],
    ["any_other_state", "b3BhcXVl"]
  ])("goes back to the model that wrote it as %s", ([name, value]) =>
    Effect.gen(function*() {
      for (const turn of [whole({ content: null, [name]: value, ...calling }), streamed({ [name]: value }, calling)]) {
        const { message, sent, thinking } = yield* returned(turn)
        assert.deepStrictEqual(sent[name], value)
        assert.strictEqual(message.content, "")
        assert.strictEqual(thinking, JSON.stringify(value).includes("They want") ? "They want a count." : undefined)
      }
    }))

  it.scopedLive("goes back with its call where it is on the call", () =>
    Effect.gen(function*() {
      const call = {
        ...calling.tool_calls[0],
        thought_signature: "s",
        function: { name: "count", arguments: "{}", x: 1 }
      }
      for (const turn of [whole({ tool_calls: [call] }), streamed({ tool_calls: [{ index: 0, ...call }] })]) {
        const { sent } = yield* returned(turn)
        assert.deepStrictEqual(sent["tool_calls"], [call])
      }
    }))

  it.scopedLive("goes back as one part where it is streamed in pieces", () =>
    Effect.gen(function*() {
      const text = (piece: string, index = 0) => ({
        reasoning: piece,
        reasoning_details: [{ type: "reasoning.text", text: piece, format: "f", index }]
      })
      const signed = { reasoning_details: [{ type: "reasoning.text", signature: "s", format: "f", index: 0 }] }
      const encrypted = { reasoning_details: [{ type: "reasoning.encrypted", data: "ZQ==", index: 1 }] }
      const { sent, thinking } = yield* returned(
        streamed(text("They "), text("count."), signed, encrypted, encrypted, calling)
      )
      assert.strictEqual(sent["reasoning"], "They count.")
      assert.deepStrictEqual(sent["reasoning_details"], [
        { type: "reasoning.text", text: "They count.", format: "f", index: 0, signature: "s" },
        encrypted.reasoning_details[0],
        encrypted.reasoning_details[0]
      ])
      assert.strictEqual(thinking, "They count.")
    }))

  it.scopedLive("goes back in the content where it was a part of that, or between marks in it", () =>
    Effect.gen(function*() {
      const part = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] })
      const parts = [part("They count."), { type: "text", text: "I count." }]
      for (
        const turn of [
          whole({ content: parts, ...calling }),
          streamed({ content: [part("They ")] }, { content: [part("count.")] }, { content: "I count." }, calling)
        ]
      ) {
        const { message, sent, thinking } = yield* returned(turn)
        assert.deepStrictEqual(sent["content"], parts)
        assert.deepStrictEqual([message.content, thinking], ["I count.", "They count."])
      }
      const marked = "<think>They count.</think>I count."
      for (const turn of [whole({ content: marked, ...calling }), streamed({ content: marked }, calling)]) {
        const { message, sent, thinking } = yield* returned(turn)
        assert.deepStrictEqual([sent["content"], message.content, thinking], [marked, "I count.", "They count."])
      }
    }))

  it.scopedLive("goes back with each piece of an answer that was cut off", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const settings = server.settings(provider)
      yield* server.script(
        whole({ content: "Half of ", reasoning_content: "They count." }, { finish_reason: "length" }),
        whole({ content: "<think>Again.</think>it.", ...calling })
      )
      const first = yield* generate(settings)
      const second = yield* generate(settings, { ...request, messages: [question, first.message] })
      const messages = [question, first.message, second.message, ...resultsOf(second.message, "1")]
      yield* generate(settings, { ...request, messages })
      const { messages: sent } = yield* Schema.decodeUnknown(Bodies)((yield* server.bodies)[2])
      assert.deepStrictEqual(sent.slice(2, -1), [
        { role: "assistant", content: "Half of ", reasoning_content: "They count." },
        { role: "user", content: "Continue." },
        { role: "assistant", content: "<think>Again.</think>it.", ...calling }
      ])
    }))

  it.scopedLive("goes to no other model or provider", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(whole({ reasoning_content: "They count.", ...calling }))
      const { message } = yield* generate(server.settings("local"))
      const later = { ...request, messages: [question, message, ...resultsOf(message, "1")] }
      yield* generate(server.settings("local", { model: "other-r0" }), later)
      yield* generate(server.settings("gemini"), later)
      yield* generate(server.settings("anthropic"), later)
      for (const { body } of (yield* server.requests).slice(1)) assert.notInclude(body, "They count.")
    }))

  it.scopedLive("goes back as earlier versions stored it", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const settings = server.settings("gemini")
      const message: AssistantMessage = {
        role: "assistant",
        content: "",
        tool_calls: (yield* generate(settings)).message.tool_calls,
        opaque: { dialect: "chat", model: "fake-r3", message: null, calls: [{ google: { thought_signature: "s" } }] }
      }
      yield* generate(settings, { ...request, messages: [question, message, ...resultsOf(message, "1")] })
      assert.include((yield* server.requests)[1]?.body, "\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}")
    }))
})

describe("A provider that is strict about reasoning", () => {
  const refusals: ReadonlyArray<readonly [string, Json, status?: number]> = [
    ["Groq", {
      error: {
        message: "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property "
          + "'reasoning_content' is unsupported)]"
      }
    }],
    ["Mistral", {
      detail: [{
        type: "extra_forbidden",
        loc: ["body", "messages", 2, "assistant", "reasoning_content"],
        msg: "Extra inputs are not permitted"
      }]
    }],
    ["Google", { error: { message: "Unknown name \"reasoning_content\" at 'messages[2]': Cannot find field." } }],
    ["one that names it apart", { error: { message: "Unknown parameter.", param: "messages[2].reasoning_content" } }],
    ["a gateway", { error: { message: "Upstream: reasoning_content: Extra inputs are not permitted" } }, 502],
    ["one that says much before", {
      error: { message: `Invalid request. ${"The body is wrong. ".repeat(20)}'reasoning_content' is not supported.` }
    }]
  ]
  it.scopedLive.each(refusals)(
    "such as %s gets none once it has refused it",
    ([, body, status = 400]) =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        yield* server.script(
          whole({ reasoning_content: "They count.", ...calling }),
          { status, body },
          { text: "Done." },
          { text: "Again." }
        )
        const model = Context.get(yield* Layer.build(modelLayer(server.settings("local"))), Model)
        const { message } = yield* model.generate(request)
        const later = { ...request, messages: [question, message, ...resultsOf(message, "1")] }
        assert.strictEqual((yield* model.generate(later)).message.content, "Done.")
        yield* model.generate(later)
        const sent = (yield* server.requests).map(({ body }) => body.includes("They count."))
        assert.deepStrictEqual(sent, [false, true, false, false])
      })
  )

  it.scopedLive("but refuses a tool still gets its reasoning, and the tool no more", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const signed = { id: "a", type: "function", function: { name: "count", arguments: "{}", thought_signature: "s" } }
      yield* server.script(
        whole({ tool_calls: [signed] }),
        { status: 400, body: { error: { message: "Invalid schema for function 'count': 'x' is not permitted" } } },
        { text: "Done." }
      )
      const model = Context.get(yield* Layer.build(modelLayer(server.settings("local"))), Model)
      const { message } = yield* model.generate(request)
      yield* model.generate({ ...request, messages: [question, message, ...resultsOf(message, "1")] })
      const bodies = (yield* server.requests).map(({ body }) => body)
      assert.deepStrictEqual(bodies.map((body) => body.includes("thought_signature")), [false, true, true])
      assert.deepStrictEqual(bodies.map((body) => body.includes("\"tools\"")), [true, true, false])
    }))

  it.scopedLive.each([
    ["DeepSeek", "The `reasoning_content` in the thinking mode must be passed back to the API."],
    ["Kimi", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"]
  ])("such as %s gets a placeholder for what another model thought", ([, message]) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ calls: [{ name: "count" }] }, { status: 400, body: { error: { message } } }, {
        text: "Done."
      })
      const first = yield* generate(server.settings("local", { model: "another" }))
      const messages = [question, first.message, ...resultsOf(first.message, "1")]
      const { message: answer } = yield* generate(server.settings("local"), { ...request, messages })
      assert.strictEqual(answer.content, "Done.")
      assert.include((yield* server.requests)[2]?.body, "\"reasoning_content\":\".\"")
    }))
})
