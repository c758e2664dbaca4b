import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Stream } from "effect"
import * as ModelHttpClient from "../../src/Model/ModelHttpClient.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import { serve } from "../support/LocalServer.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { generate } from "./remote.ts"

/** A server that sends for as long as it is listened to, and tells when it no longer is. */
const endlessServer = Effect.gen(function*() {
  const hungUp = yield* Deferred.make<void>()
  const piece = `data: ${"x".repeat(1 << 20)}\n\n`
  const url = yield* serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const goOn = () => {
      while (response.write(piece));
    }
    response.on("drain", goOn).on("close", () => Deferred.unsafeDone(hungUp, Effect.void))
    goOn()
  })
  return { url, hungUp }
})

describe("The HTTP client of the models", () => {
  const client = ModelHttpClient.layer({ timeout: Duration.seconds(60) })
  const post = (url: string) => Effect.flatMap(HttpClient.post(url), ({ text }) => text)

  it.scopedLive("reads no more than 16 MiB of an answer that does not end, and hangs up", () =>
    Effect.gen(function*() {
      const { hungUp, url } = yield* endlessServer
      const settings = (yield* makeModelServer()).settings("local", { requestTimeout: Duration.seconds(30) })
      const endless = { ...settings, provider: { ...settings.provider, baseUrl: url } }
      const error = yield* Effect.flip(generate(endless))
      assert.deepInclude(error, {
        _tag: "ModelRejected",
        message: "The local model server sent an answer of more than 16 MiB, which is not read."
      })
      yield* Deferred.await(hungUp)
    }))

  it.scopedLive("hangs up when nobody reads a stream on, and reads no further than it is read", () =>
    Effect.gen(function*() {
      const { hungUp, url } = yield* endlessServer
      const response = yield* HttpClient.post(`${url}/`)
      yield* Stream.runHead(response.stream)
      yield* Deferred.await(hungUp)
    }).pipe(Effect.provide(client)))

  it.scopedLive("never sends a request that is interrupted before it is connected", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const call = post(`${server.url}/chat/completions`)
      const fiber = yield* Effect.fork(call)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      assert.isNotEmpty(yield* call)
      assert.lengthOf(yield* server.requests, 1)
    }).pipe(Effect.provide(client)))

  it.scopedLive("gives a call no more time than is left for it", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({ strict: false })
      yield* server.script({ hang: true })
      const { description } = yield* Effect.flip(post(`${server.url}/chat/completions`))
      assert.strictEqual(description, "timedOut 50ms")
    }).pipe(Effect.provideService(CallTimeLeft, () => 50), Effect.provide(client)))
})
