import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeModelServer } from "../support/ModelServer.ts"
import { generate, request } from "./remote.ts"

/** The answer of a server that gives this reason for its end. */
const ended = (finish: string) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer()
    yield* server.script({ text: "I counted", finish })
    return yield* generate(server.settings("local", { maxRetries: 0 }), request)
  })

describe("The reason for the end of an answer", () => {
  it.scopedLive.each(["length", "max_tokens", "MAX_TOKENS", "model_length", "model_context_window_exceeded"])(
    "says that it was cut off: %s",
    (reason) => Effect.map(ended(reason), ({ cut }) => assert.include(cut, "output limit"))
  )

  it.scopedLive.each(["content_filter", "SAFETY", "sensitive", "RECITATION"])(
    "says that it was filtered: %s",
    (reason) => Effect.map(ended(reason), ({ cut }) => assert.include(cut, "content filter"))
  )

  it.scopedLive.each(["error", "abort", "network_error", "insufficient_system_resource"])(
    "says that it broke off: %s",
    (reason) => Effect.map(Effect.flip(ended(reason)), ({ _tag }) => assert.strictEqual(_tag, "ModelUnavailable"))
  )

  it.scopedLive.each(["stop", "STOP", "eos_token", "end_turn", "stop_sequence", "tool_calls"])(
    "says that it is whole: %s",
    (reason) => Effect.map(ended(reason), ({ cut }) => assert.isUndefined(cut))
  )
})
