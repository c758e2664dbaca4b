import type { Dispatcher } from "@effect/platform-node/Undici"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option, Schedule } from "effect"
import { IncomingBody } from "../../src/Model/IncomingBody.ts"
import { serve } from "../support/LocalServer.ts"
import type { CallSettings } from "../support/ModelServer.ts"
import { generate, request } from "./remote.ts"

/** Pushes `waiting` as soon as it may go on, as undici does with what its parser holds, and then ends the body. */
class Sender implements Dispatcher.DispatchController {
  readonly aborted = false
  readonly reason = null
  paused = false
  private readonly body: IncomingBody
  private readonly waiting: Array<Uint8Array>
  constructor(body: IncomingBody, waiting: Array<Uint8Array>) {
    this.body = body
    this.waiting = waiting
  }
  abort() {}
  pause() {
    this.paused = true
  }
  resume() {
    this.paused = false
    while (!this.paused) {
      const next = this.waiting.shift()
      if (next === undefined) return this.body.end("complete")
      this.body.push(next)
    }
  }
}

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
  it.effect("loses nothing that a paused sender pushes when it may go on", () =>
    Effect.gen(function*() {
      const body = new IncomingBody(60_000, () => {})
      const pieces = Array.from({ length: 40 }, (_, index) => new Uint8Array(64 * 1024).fill(index))
      const controller = new Sender(body, [...pieces])
      body.attach(controller)
      controller.resume()
      assert.isTrue(controller.paused)
      const seen: Array<number | undefined> = []
      const end = yield* Effect.flip(
        Effect.forever(Effect.map(body.read, (some) => void seen.push(...some.map(([first]) => first))))
      )
      assert.isTrue(Option.isNone(end))
      assert.deepStrictEqual(seen, pieces.map(([first]) => first))
    }))

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
