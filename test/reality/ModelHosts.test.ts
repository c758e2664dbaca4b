import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { Model } from "../../src/Model/Model.ts"
import { generate, modelLayer, request } from "../Model/remote.ts"
import { type CallSettings, makeModelServer, type ModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { answers, refusal } from "./modelAnswers.ts"

const missing: ReadonlyArray<readonly [string, ModelTurn]> = [
  ["404 without a body", { status: 404, body: "" }],
  ["404 with a page", {
    status: 404,
    headers: { "content-type": "text/html" },
    body: "<html><h1>Not Found</h1></html>"
  }],
  ["404 of FastAPI", { status: 404, body: { detail: "Not Found" } }],
  ["404 of Ollama", { status: 404, body: "404 page not found" }],
  ["404 of llama.cpp", {
    status: 404,
    body: { error: { code: 404, message: "File Not Found", type: "not_found_error" } }
  }],
  ["404 of a gateway", { status: 404, body: { message: "no Route matched with those values" } }],
  ["405", { status: 405, body: { detail: "Method Not Allowed" } }],
  ["501", { status: 501, body: "Not Implemented" }],
  ["400 for an unknown endpoint", { status: 400, body: { error: "Unknown endpoint /v1/responses" } }],
  [
    "400 for an unsupported API",
    refusal("The model is not supported via the Responses API.", 400, { code: "unsupported_api_for_model" })
  ],
  ["200 with an error, as LM Studio", {
    status: 200,
    body: { error: "Unexpected endpoint or method. (POST /v1/responses)" }
  }]
]

/** A host whose `/responses` answers in its own way, and which may know `/chat/completions`. */
const host = (turn: ModelTurn, chat: ModelTurn = { text: "By chat." }) =>
  makeModelServer({ script: ({ kind }) => (kind === "responses" ? turn : kind === "chat" ? chat : undefined) })

const kindsOf = (server: ModelServer) => Effect.map(server.requests, (seen) => seen.map(({ kind }) => kind))

describe("A host that has only /chat/completions, with a key", () => {
  it.scopedLive.each(missing)(
    "is found out at the first call and remembered: %s",
    ([, turn]) =>
      Effect.gen(function*() {
        for (const given of [request, { ...request, onText: () => Effect.void }]) {
          const server = yield* host(turn)
          const settings = server.settings("openai", { api: "auto", maxRetries: 0 })
          assert.deepStrictEqual(yield* answers(settings, 2, given), ["By chat.", "By chat."])
          assert.deepStrictEqual(yield* kindsOf(server), ["responses", "chat", "chat"])
          const keys = (yield* server.requests).map(({ headers }) => headers["authorization"])
          assert.deepStrictEqual(new Set(keys), new Set(["Bearer key-for-tests"]))
        }
      })
  )

  it.scopedLive("is not assumed where the host only lacks the model", () =>
    Effect.gen(function*() {
      const complaints = [
        refusal("The model `gpt-9` does not exist or you do not have access to it.", 404, { code: "model_not_found" }),
        refusal("model \"gpt-9\" not found, try pulling it first", 404)
      ]
      for (const turn of complaints) {
        const server = yield* host(turn)
        const error = yield* Effect.flip(generate(server.settings("openai", { api: "auto" })))
        assert.deepInclude(error, { _tag: "ModelRejected", status: 404 })
        assert.include(error.message, "does not know the model")
        assert.deepStrictEqual(yield* kindsOf(server), ["responses"])
      }
    }))

  it.scopedLive("is told from an address that leads nowhere", () =>
    Effect.gen(function*() {
      const server = yield* host({ status: 404, body: "" }, { status: 404, body: "" })
      const error = yield* Effect.flip(generate(server.settings("openai", { api: "auto" })))
      assert.include(error.message, "Check OPENAI_MODEL and OPENAI_BASE_URL.")
    }))

  it.scopedLive("is not assumed after a call that did not reach it", () =>
    Effect.gen(function*() {
      let isAway = true
      const server = yield* makeModelServer({
        script: ({ kind }) =>
          kind !== "responses" ? { text: "By chat." } : isAway ? { reset: true } : { text: "By responses." }
      })
      const calls = Effect.flatMap(Model, (model) =>
        Effect.flip(model.generate(request)).pipe(
          Effect.tap(() => Effect.sync(() => isAway = false)),
          Effect.zip(model.generate(request))
        ))
      const [error, { message }] = yield* Effect.provide(
        calls,
        modelLayer(server.settings("openai", { api: "auto", maxRetries: 0 }))
      )
      assert.strictEqual(error._tag, "ModelUnavailable")
      assert.strictEqual(message.content, "By responses.")
      assert.deepStrictEqual(yield* kindsOf(server), ["responses", "responses"])
    }))

  it.scopedLive("is not asked where the API is set", () =>
    Effect.gen(function*() {
      const server = yield* host({ text: "By responses." })
      assert.deepStrictEqual(yield* answers(server.settings("openai", { api: "responses" }), 1), ["By responses."])
      assert.deepStrictEqual(yield* answers(server.settings("openai", { api: "chat" }), 1), ["By chat."])
      assert.deepStrictEqual(yield* kindsOf(server), ["responses", "chat"])
    }))
})

describe("A local server that wants a key", () => {
  const keyed = makeModelServer({
    script: ({ headers }) =>
      headers.authorization === "Bearer right" ? undefined : { status: 401, body: "Unauthorized" }
  })
  const withoutKey = ({ provider, ...settings }: CallSettings): CallSettings => ({
    ...settings,
    provider: provider._tag === "offline" ? provider : { ...provider, apiKey: Option.none() }
  })

  it.scopedLive("gets it with calls of the model and of the embeddings", () =>
    Effect.gen(function*() {
      const server = yield* keyed
      const settings = server.settings("local", { apiKey: "right", model: "fake-r0" })
      yield* Effect.all([Model, Embeddings]).pipe(
        Effect.flatMap(([model, embeddings]) =>
          Effect.all([model.probe, model.generate(request), embeddings.embed(["one"])])
        ),
        Effect.provide(modelLayer(settings))
      )
      assert.lengthOf(yield* server.requests, 3)
    }))

  it.scopedLive("is named with the setting of the key, whether one is set or not", () =>
    Effect.gen(function*() {
      const server = yield* keyed
      const wrong = yield* Effect.flip(generate(server.settings("local", { apiKey: "wrong-key" })))
      assert.include(wrong.message, "refused the key (401): check LOCAL_MODEL_API_KEY")
      assert.notInclude(wrong.message, "wrong-key")
      const none = yield* Effect.flip(generate(withoutKey(server.settings("local"))))
      assert.include(none.message, "asks for a key (401): set LOCAL_MODEL_API_KEY")
    }))
})
