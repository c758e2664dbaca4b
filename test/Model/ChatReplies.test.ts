import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ModelRequest } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { calling, live, provider, streamed, whole } from "./chatReplies.ts"
import { callsOf, generate, request } from "./remote.ts"

describe("A reply of a compatible server", () => {
  const answerTo = (turn: ModelTurn, given: ModelRequest = live) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(turn, { text: "At last." })
      const { message } = yield* generate(server.settings(provider, { maxRetries: 1 }), given)
      return message.tool_calls.length === 0 ? message.content : callsOf(message)
    })

  it.scopedLive("may have its calls in the earlier form, without a wrapper, or with arguments as an object", () =>
    Effect.gen(function*() {
      const given = { name: "count", arguments: "{\"of\":1}" }
      for (
        const message of [
          { function_call: given },
          { tool_calls: [{ id: 7, ...given }] },
          { tool_calls: [{ id: "", index: "0", function: { name: "count", arguments: { of: 1 } } }] }
        ]
      ) {
        assert.deepStrictEqual(yield* answerTo(whole(message), request), [["count", "{\"of\":1}"]])
        assert.deepStrictEqual(yield* answerTo(streamed(message)), [["count", "{\"of\":1}"]])
      }
      const pieces = [{ function_call: { name: "count", arguments: "{\"of\"" } }, {
        function_call: { arguments: ":1}" }
      }]
      assert.deepStrictEqual(yield* answerTo(streamed(...pieces)), [["count", "{\"of\":1}"]])
    }))

  it.scopedLive("may have calls for a tool without arguments in any form", () =>
    Effect.gen(function*() {
      for (const given of ["", "{}", null, undefined, {}]) {
        const message = { tool_calls: [{ id: "a", function: { name: "count", arguments: given } }] }
        assert.deepStrictEqual(yield* answerTo(whole(message), request), [["count", "{}"]])
        assert.deepStrictEqual(yield* answerTo(streamed(message)), [["count", "{}"]])
      }
    }))

  it.scopedLive("may be spread over several choices", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const choices = [{ message: { content: "I count." }, finish_reason: "stop" }, { message: calling }]
      yield* server.script({ status: 200, body: { choices } })
      const { message } = yield* generate(server.settings(provider))
      assert.deepStrictEqual([message.content, callsOf(message)], ["I count.", [["count", "{}"]]])
    }))

  it.scopedLive("may be a stream with comments, blank events, usage alone at its end, and the whole message once more", () =>
    Effect.gen(function*() {
      const again = { object: "chat.completion.chunk", choices: [{ message: { content: "One. Two." } }] }
      const turn = streamed(
        ": OPENROUTER PROCESSING\n\n",
        "data:\n\n",
        { role: "assistant", content: "" },
        { content: "One. " },
        "event: ping\ndata: {}\n\n",
        { content: "Two." },
        `data: ${JSON.stringify(again)}\n\n`,
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n"
      )
      assert.strictEqual(yield* answerTo(turn), "One. Two.")
    }))

  it.scopedLive.each([
    "{\"error\":{\"message\":\"overloaded\"}}",
    "{\"error\":\"overloaded\"}",
    "{\"object\":\"error\",\"message\":\"overloaded\",\"code\":500}",
    "{\"choices\":[{\"error\":{\"code\":502,\"message\":\"overloaded\"},\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}",
    "{\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}"
  ])("is asked for again after an error within its stream: %s", (event) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answerTo(streamed({ content: "Half" }, `data: ${event}\n\n`)), "At last.")
    }))

  it.scopedLive("that has no choice or no message is asked for again", () =>
    Effect.gen(function*() {
      for (const choices of [[], null, [{ finish_reason: "stop" }], [{ message: null, finish_reason: "stop" }]]) {
        assert.strictEqual(yield* answerTo({ status: 200, body: { choices } }, request), "At last.")
      }
    }))

  it.scopedLive("may be empty in many ways, and refused in two", () =>
    Effect.gen(function*() {
      const empty = ["", null, undefined, [], [{ type: "text", text: "" }], "<think>They count.</think>", {}]
      for (const content of empty) assert.strictEqual(yield* answerTo(whole({ content }), request), "")
      assert.strictEqual(yield* answerTo(whole({ content: "", reasoning_content: "They count." }), request), "")
      assert.strictEqual(yield* answerTo(whole({ content: null, refusal: "I won't." }), request), "I won't.")
      const refusal = [{ type: "refusal", refusal: "I won't." }]
      assert.strictEqual(yield* answerTo(whole({ content: refusal }), request), "I won't.")
      const parts = ["One. ", { type: "text", text: "Two." }, { type: "output_text", text: " Three." }]
      assert.strictEqual(yield* answerTo(whole({ content: parts }), request), "One. Two. Three.")
    }))
})
