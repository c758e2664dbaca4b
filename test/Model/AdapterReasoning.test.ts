import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { eventStream, generate, isBody, messageEnd, messageStart, question, request, resultsOf } from "./remote.ts"

const block = (index: number, content_block: object, ...deltas: ReadonlyArray<object>) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index }
]

const tool = (index: number, id: string) =>
  block(index, { type: "tool_use", id, name: "count", input: {} }, { type: "input_json_delta", partial_json: "{}" })

const thought = (index: number, text: string, signature: string) =>
  block(
    index,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: text },
    { type: "signature_delta", signature }
  )

const events = (...parts: ReadonlyArray<object>): ModelTurn => ({
  status: 200,
  headers: eventStream,
  body: [...messageStart, ...parts, ...messageEnd("tool_use")]
    .map((event) => `event: ${"type" in event ? event.type : ""}\ndata: ${JSON.stringify(event)}\n\n`).join("")
})

const sentIn = (body: unknown, name: string): ReadonlyArray<unknown> => {
  const sent = isBody(body) ? body[name] : []
  return Array.isArray(sent) ? sent : []
}

describe("Thinking by the protocol of Anthropic", () => {
  it.scopedLive("goes back with its signature to the place it came from, and to no other model", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(events(
        ...thought(0, "They count.", "s1"),
        ...block(1, { type: "redacted_thinking", data: "ZQ==" }),
        ...block(2, { type: "text", text: "" }, { type: "text_delta", text: "<think>One.</think>I count." }),
        ...tool(3, "toolu_1"),
        ...thought(4, "Again.", "s2"),
        ...tool(5, "toolu_2")
      ))
      const { message, thinking } = yield* generate(server.settings("anthropic"))
      assert.deepStrictEqual([message.content, thinking], ["I count.", "They count.\n\nAgain.\n\nOne."])
      const later = { ...request, messages: [question, message, ...resultsOf(message, "1")] }
      yield* generate(server.settings("anthropic"), later)
      yield* generate(server.settings("anthropic", { model: "other-r0" }), later)
      const [, same, other] = yield* server.bodies
      const answer = sentIn(same, "messages")[1]
      assert.deepStrictEqual(isBody(answer) ? answer["content"] : [], [
        { type: "thinking", thinking: "They count.", signature: "s1" },
        { type: "redacted_thinking", data: "ZQ==" },
        { type: "text", text: "I count." },
        { type: "tool_use", id: "toolu_1", name: "count", input: {} },
        { type: "thinking", thinking: "Again.", signature: "s2" },
        { type: "tool_use", id: "toolu_2", name: "count", input: {} }
      ])
      assert.notInclude(JSON.stringify(other), "They count.")
    }))
})

describe("Reasoning by the Responses protocol", () => {
  const response = (...output: ReadonlyArray<object>): ModelTurn => ({
    status: 200,
    body: { status: "completed", output, usage: {} }
  })
  const call = { type: "function_call", call_id: "a", name: "count", arguments: "{}" }

  it.scopedLive("goes back encrypted or in words, and not where there is only its id", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const encrypted = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "They count." }] }
      const inWords = {
        type: "reasoning",
        id: "rs_2",
        summary: [],
        content: [{ type: "reasoning_text", text: "Again." }]
      }
      yield* server.script(
        response(
          { ...encrypted, encrypted_content: "ZQ==" },
          { ...inWords, encrypted_content: null },
          { type: "reasoning", id: "rs_3", summary: [] },
          call
        )
      )
      const { message, thinking } = yield* generate(server.settings("openai"))
      assert.strictEqual(thinking, "They count.\n\nAgain.")
      const messages = [question, message, ...resultsOf(message, "1")]
      yield* generate(server.settings("openai"), { ...request, messages })
      const [, body] = yield* server.bodies
      assert.deepStrictEqual(sentIn(body, "input").slice(1, -2), [{ ...encrypted, encrypted_content: "ZQ==" }, inWords])
    }))

  it.scopedLive("is no part of the answer where its marks are in the text", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const content = [{ type: "output_text", text: "<think>They count.</think>Three." }]
      yield* server.script(response({ type: "message", content }))
      const { message, thinking } = yield* generate(server.settings("openai"))
      assert.deepStrictEqual([message.content, thinking], ["Three.", "They count."])
    }))
})
