import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option, Schedule } from "effect"
import { serve } from "../support/LocalServer.ts"
import type { CallSettings } from "../support/ModelServer.ts"
import { generate, request } from "./remote.ts"

/** A server that sends each event in an HTTP chunk of its own, as fast as it can. */
const serverOf = (events: ReadonlyArray<string>) =>
  Effect.map(
    serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of events) response.write(event)
      response.end()
    }),
    (url) => `${url}/v1`
  )

const words = Array.from({ length: 30_000 }, (_, index) => `${String(index).padStart(6, "0")} `)
const events = [
  ...words.map((content) => JSON.stringify({ choices: [{ delta: { content } }] })),
  JSON.stringify({ choices: [{ finish_reason: "stop" }] }),
  "[DONE]"
].map((data) => `data: ${data}\n\n`)

/** Lets sockets go on, several times: the sender is faster than this reader. */
const slowly = Effect.repeat(
  Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))),
  Schedule.recurs(5)
)

describe("A body that arrives faster than it is read", () => {
  it.scopedLive("is whole in the answer of a model that is watched", () =>
    Effect.gen(function*() {
      const url = yield* serverOf(events)
      const settings: CallSettings = {
        temperature: 1,
        maxRetries: 0,
        totalTimeout: Duration.seconds(60),
        requestTimeout: Duration.seconds(60),
        provider: { _tag: "local", baseUrl: url, apiKey: Option.none(), model: "a-model", embeddingModel: "another" }
      }
      let shown = ""
      const onText = (delta: string) => Effect.zipRight(slowly, Effect.sync(() => void (shown += delta)))
      const { message } = yield* generate(settings, { ...request, onText })
      assert.isTrue(message.content === words.join(""), `${message.content.length} characters arrived`)
      assert.isTrue(shown === message.content)
    }))
})
