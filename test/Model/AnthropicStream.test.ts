import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { generate, request } from "./remote.ts"

const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-fake",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 500, cache_creation_input_tokens: 40 }
  }
}

const call = [
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "toolu_1", name: "count", input: {} }
  },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
  { type: "content_block_stop", index: 0 }
]

const end = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
  { type: "message_stop" }
]

const streamOf = (events: ReadonlyArray<object>): ModelTurn => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
})

/** Plays a stream, then a good answer, to a call without a limit of its own unless one is given. */
const answerAfter = (events: ReadonlyArray<object>, limit: { readonly maxOutputTokens?: number } = {}) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer()
    yield* server.script(streamOf(events), { text: "At last." })
    const response = yield* generate(server.settings("anthropic", { model: "claude-fake" }), { ...request, ...limit })
    return { response, calls: (yield* server.requests).length }
  })

describe("A stream of Anthropic's", () => {
  it.scopedLive("counts what the provider's cache held and took in", () =>
    Effect.gen(function*() {
      const { response } = yield* answerAfter([start, ...call, ...end("tool_use")])
      assert.deepStrictEqual([response.inputTokens, response.outputTokens], [543, 2])
    }))

  it.scopedLive("is asked for again after an event that cannot be read, also behind a tool call", () =>
    Effect.gen(function*() {
      // More events than the client reads at once.
      const pings = Array.from({ length: 64 }, () => ({ type: "ping" }))
      const broken = { type: "content_block_start", index: "one", content_block: 7 }
      const { calls, response } = yield* answerAfter([start, ...call, ...pings, broken, ...end("tool_use")])
      assert.strictEqual(response.message.content, "At last.")
      assert.strictEqual(calls, 2)
    }))

  it.scopedLive("is asked for again when it is empty, but where the request set the limit itself", () =>
    Effect.gen(function*() {
      const empty = [start, ...end("pause_turn")]
      const again = yield* answerAfter(empty)
      assert.strictEqual(again.response.message.content, "At last.")
      assert.isUndefined(again.response.cut)
      const limited = yield* answerAfter(empty, { maxOutputTokens: 50 })
      assert.strictEqual(limited.calls, 1)
      assert.include(limited.response.cut, "answered with nothing")
    }))
})
