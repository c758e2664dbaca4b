import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Predicate, Stream } from "effect"
import { maxBodyBytes } from "../../src/Model/IncomingBody.ts"
import { Model } from "../../src/Model/Model.ts"
import * as ModelHttpClient from "../../src/Model/ModelHttpClient.ts"
import { postJson } from "../../src/Model/ProviderCalls.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import { serve } from "../support/LocalServer.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { generate, modelLayer, request } from "./remote.ts"

for (const provider of ["openai", "local"] as const) {
  const isResponses = provider === "openai"

  describe(
    isResponses ? "the Responses dialect, when a call fails" : "the chat-completions dialect, when a call fails",
    () => {
      it.scopedLive("tries again after what may pass", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const soon = { "retry-after-ms": "1" }
          yield* server.script(
            { status: 429, headers: soon, body: { error: { message: "slow down" } } },
            { status: 500, headers: soon, body: "" },
            { status: 503, headers: soon, body: "<html>" },
            { status: 408, headers: soon, body: "" },
            { text: "At last." }
          )
          const { message } = yield* generate(server.settings(provider))
          assert.strictEqual(message.content, "At last.")
          assert.lengthOf(yield* server.requests, 5)
        }))

      it.scopedLive("does not repeat what is refused for good", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          for (const status of [400, 401, 403, 404, 422]) {
            yield* server.script({ status, body: { error: { message: `no key-for-tests ${"x".repeat(5000)}` } } })
            const error = yield* Effect.flip(generate(server.settings(provider)))
            assert.strictEqual(error._tag, "ModelRejected")
            assert.include(error.message, `(${status})`)
            assert.notInclude(error.message, "key-for-tests")
            assert.isBelow(error.message.length, 400)
          }
          assert.lengthOf(yield* server.requests, 5)
        }))

      it.scopedLive("knows a conversation that is too long", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const errors = [
            { status: 400, body: { error: { code: "context_length_exceeded", message: "Too long." } } },
            { status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens" } } },
            { status: 400, body: [{ error: { message: "The input token count (9) exceeds the maximum number" } }] },
            { status: 400, body: { error: { type: "exceed_context_size_error", message: "request (9) exceeds" } } },
            { status: 413, body: "" },
            { status: 200, body: { status: "failed", error: { code: "context_length_exceeded" }, choices: [] } }
          ]
          for (const turn of errors) {
            yield* server.script(turn)
            assert.strictEqual((yield* Effect.flip(generate(server.settings(provider))))._tag, "ContextOverflow")
          }
        }))

      it.scopedLive("survives whatever a server sends", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const settings = server.settings(provider, { maxRetries: 0, requestTimeout: Duration.millis(200) })
          const stream = { "content-type": "text/event-stream" }
          const odd: ReadonlyArray<ModelTurn> = [
            { cut: true, text: "never whole" },
            { reset: true },
            { hang: true },
            { status: 200, body: "{\"choices\": [{" },
            { status: 200, body: "null" },
            { status: 200, body: "[]" },
            { status: 200, body: { choices: [], output: null } },
            { status: 200, body: { choices: [{ message: 7 }], output: 7 } },
            { status: 200, headers: stream, body: "data: {\"type\":\n\n" },
            {
              status: 200,
              headers: stream,
              body: "retry: 60000\n\nevent: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n"
            },
            { status: 200, headers: stream, body: "" },
            { status: 500, body: [[[{ error: { message: { deep: 1 } } }]]] },
            { status: 302, headers: { location: "http://elsewhere" }, body: "" }
          ]
          for (const turn of odd) {
            for (const given of [request, { ...request, onText: () => Effect.void }]) {
              yield* server.script(turn)
              const error = yield* Effect.flip(generate(settings, given))
              assert.include(["ModelRejected", "ModelUnavailable"], error._tag)
              assert.match(error.message, /\.$/)
            }
          }
        }))

      it.scopedLive("gives up reading an endless answer", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const settings = server.settings(provider, { requestTimeout: Duration.seconds(30) })
          for (const chunked of [true, false]) {
            yield* server.script({ text: "x".repeat(17 << 20), chunked })
            const error = yield* Effect.flip(generate(settings))
            assert.strictEqual(error._tag, "ModelRejected")
            assert.include(error.message, "16 MiB")
          }
        }))

      it.scopedLive("says where nobody listens", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const settings = server.settings(provider, { maxRetries: 0 })
          const gone = { ...settings, provider: { ...settings.provider, baseUrl: "http://127.0.0.1:9/v1" } }
          const error = yield* Effect.flip(generate(gone))
          assert.strictEqual(error._tag, "ModelUnavailable")
          assert.include(error.message, "Check " + (isResponses ? "OPENAI_BASE_URL" : "LOCAL_MODEL_URL"))
        }))

      it.scopedLive("does without a parameter that the model refuses, from then on", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const refusal = {
            status: 400,
            body: { error: { message: "Unsupported parameter: 'temperature' is not supported with this model." } }
          }
          yield* server.script(refusal, { text: "One." }, { text: "Two." })
          const answers = yield* Effect.flatMap(
            Model,
            (model) => Effect.all([model.generate(request), model.generate(request)])
          ).pipe(
            Effect.provide(modelLayer(server.settings(provider)))
          )
          assert.deepStrictEqual(
            answers.map(({ message }) => message.content),
            ["One.", "Two."]
          )
          const bodies = yield* server.bodies
          assert.deepStrictEqual(bodies.map((body) => Predicate.hasProperty(body, "temperature")), [true, false, false])
        }))

      it.scopedLive("hangs up when it is interrupted", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          for (const given of [request, { ...request, onText: () => Effect.void }]) {
            yield* server.script({ hang: true })
            const fiber = yield* Effect.fork(generate(server.settings(provider), given))
            yield* server.arrivals.take
            yield* Fiber.interrupt(fiber)
            yield* server.hangUps.take
          }
        }))

      it.scopedLive("probes the provider and its key", () =>
        Effect.gen(function*() {
          const server = yield* makeModelServer({
            script: ({ headers, kind }) =>
              kind === "models" && headers.authorization !== "Bearer right"
                ? { status: 401, body: { error: { message: "Incorrect API key provided: wro****" } } }
                : undefined
          })
          const probe = (apiKey: string) =>
            Effect.flatMap(Model, (model) => model.probe).pipe(
              Effect.provide(modelLayer(server.settings(provider, { apiKey })))
            )
          yield* probe("right")
          const error = yield* Effect.flip(probe("wrong"))
          assert.strictEqual(error._tag, "ModelRejected")
          assert.include(error.message, isResponses ? "check OPENAI_API_KEY" : "LOCAL_MODEL_URL")
        }))
    }
  )
}

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
  const post = (url: string) => Effect.flatMap(HttpClient.execute(postJson(url, "{}")), ({ text }) => text)

  it.scopedLive("hangs up on an answer that does not end", () =>
    Effect.gen(function*() {
      const { hungUp, url } = yield* endlessServer
      const { description } = yield* Effect.flip(post(`${url}/`))
      assert.strictEqual(description, `tooLong ${maxBodyBytes >> 20} MiB`)
      yield* Deferred.await(hungUp)
    }).pipe(Effect.provide(client)))

  it.scopedLive("hangs up when nobody reads a stream on, and reads no further than it is read", () =>
    Effect.gen(function*() {
      const { hungUp, url } = yield* endlessServer
      const response = yield* HttpClient.execute(postJson(`${url}/`, "{}"))
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
      const server = yield* makeModelServer()
      yield* server.script({ hang: true })
      const { description } = yield* Effect.flip(post(`${server.url}/chat/completions`))
      assert.strictEqual(description, "timedOut 50ms")
    }).pipe(Effect.provideService(CallTimeLeft, () => 50), Effect.provide(client)))
})
