import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeModelServer } from "../support/ModelServer.ts"
import { generate, request } from "./remote.ts"

const streams = {
  local: {
    delta: { choices: [{ delta: { content: "Yes" } }] },
    unreadable: { choices: [{ delta: { content: 7 } }] },
    end: { choices: [{ finish_reason: "stop" }] }
  },
  openai: {
    delta: { type: "response.output_text.delta", delta: "Yes" },
    unreadable: { type: "response.output_item.done", output: 7 },
    end: { type: "response.completed", response: { status: "completed", output: [] } }
  }
}

for (const provider of ["local", "openai"] as const) {
  const { delta, end, unreadable } = streams[provider]

  describe(`An event of ${provider} that cannot be read`, () => {
    for (const data of [JSON.stringify(unreadable), "{\"choices\": [{", "a page of a proxy"]) {
      it.scopedLive(`fails the attempt, which is repeated (${data})`, () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const body = [JSON.stringify(delta), data, JSON.stringify(end), "[DONE]"]
            .map((data) => `data: ${data}\n\n`).join("")
          yield* server.script(
            { status: 200, headers: { "content-type": "text/event-stream" }, body },
            { text: "Yes, at last." }
          )
          const { message } = yield* generate(server.settings(provider), { ...request, onText: () => Effect.void })
          assert.strictEqual(message.content, "Yes, at last.")
          assert.lengthOf(yield* server.requests, 2)
        }))
    }
  })
}
