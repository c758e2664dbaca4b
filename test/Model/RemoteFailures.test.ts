import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Predicate } from "effect"
import { Model } from "../../src/Model/Model.ts"
import { advancing } from "../support/Eventually.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { eventStream, generate, messageEnd, messageStart, modelLayer, request } from "./remote.ts"

/** What a call that fails does, for each protocol: how errors name the settings, and the events of a stream. */
const providers = [
  {
    provider: "openai" as const,
    address: "OPENAI_BASE_URL",
    key: "check OPENAI_API_KEY",
    start: [{ type: "response.output_text.delta", delta: "Yes" }],
    unreadable: { type: "response.output_item.done", output: 7 },
    end: [{ type: "response.completed", response: { status: "completed", output: [] } }],
    wholeOverflow: [{ status: 200, body: { status: "failed", error: { code: "context_length_exceeded" } } }]
  },
  {
    provider: "local" as const,
    address: "LOCAL_MODEL_URL",
    key: "LOCAL_MODEL_URL",
    start: [{ choices: [{ delta: { content: "Yes" } }] }],
    unreadable: { choices: [{ delta: { content: 7 } }] },
    end: [{ choices: [{ finish_reason: "stop" }] }],
    wholeOverflow: [{ status: 200, body: { error: { code: "context_length_exceeded" }, choices: [] } }]
  },
  {
    provider: "anthropic" as const,
    address: "ANTHROPIC_BASE_URL",
    key: "check ANTHROPIC_API_KEY",
    start: messageStart,
    unreadable: { type: "content_block_start", index: "one", content_block: 7 },
    end: messageEnd("end_turn"),
    wholeOverflow: []
  }
]

describe.each(providers)(
  "A failing call of $provider",
  ({ address, end, key, provider, start, unreadable, wholeOverflow }) => {
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
          ...wholeOverflow
        ]
        for (const turn of errors) {
          // Twice: a lower limit of the output might help.
          yield* server.script(turn, turn)
          assert.strictEqual((yield* Effect.flip(generate(server.settings(provider))))._tag, "ContextOverflow")
        }
      }))

    it.scopedLive("survives whatever a server sends", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider, { maxRetries: 0, requestTimeout: Duration.millis(200) })
        const odd: ReadonlyArray<ModelTurn> = [
          { cut: true, text: "never whole" },
          { reset: true },
          { hang: true },
          { status: 200, body: "{\"choices\": [{" },
          { status: 200, body: "null" },
          { status: 200, body: "[]" },
          { status: 200, body: { choices: [], output: null } },
          { status: 200, body: { choices: [{ message: 7 }], output: 7 } },
          { status: 200, headers: eventStream, body: "data: {\"type\":\n\n" },
          {
            status: 200,
            headers: eventStream,
            body: "retry: 60000\n\nevent: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n"
          },
          { status: 200, headers: eventStream, body: "" },
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

    it.scopedLive("says where nobody listens", () =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        const settings = server.settings(provider, { maxRetries: 0 })
        const gone = { ...settings, provider: { ...settings.provider, baseUrl: "http://127.0.0.1:9/v1" } }
        const error = yield* Effect.flip(generate(gone))
        assert.strictEqual(error._tag, "ModelUnavailable")
        assert.include(error.message, `Check ${address}`)
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
            kind === "models" && headers.authorization !== "Bearer right" && headers["x-api-key"] !== "right"
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
        assert.include(error.message, key)
      }))

    it.scoped.each([JSON.stringify(unreadable), "a page of a proxy"])(
      "is repeated after an event that cannot be read: %s",
      (data) =>
        Effect.gen(function*() {
          const server = yield* makeModelServer()
          const events = [
            ...start.map((event) => JSON.stringify(event)),
            data,
            ...end.map((event) => JSON.stringify(event))
          ]
          const body = [...events, "[DONE]"].map((data) => `data: ${data}\n\n`).join("")
          yield* server.script({ status: 200, headers: eventStream, body }, { text: "Yes, at last." })
          const settings = server.settings(provider, { requestTimeout: Duration.minutes(1) })
          const calls = generate(settings, { ...request, onText: () => Effect.void })
          const [{ message }] = yield* advancing(calls, "100 millis")
          assert.strictEqual(message.content, "Yes, at last.")
          assert.lengthOf(yield* server.requests, 2)
        })
    )
  }
)

describe("A model that is made of values", () => {
  it.scopedLive("fails with what its maker calls it, and works beside another of the same provider", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const settings = server.settings("local", { maxRetries: 0 })
      const names = { title: "The model sales", key: "its key", url: "its address", model: "its model" }
      const { provider } = settings
      const sales = { ...settings, provider: provider._tag === "offline" ? provider : { ...provider, names } }
      yield* server.script({ status: 401, body: { error: { message: "no" } } }, { text: "Three." })
      const [refused, answered] = yield* Effect.all([Effect.flip(generate(sales)), generate(settings)])
      assert.strictEqual(refused.message, "The model sales refused the key (401): check its key and its address.")
      assert.strictEqual(answered.message.content, "Three.")
    }))
})
