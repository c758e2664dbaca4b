import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { Model } from "../../src/Model/Model.ts"
import { generate, modelLayer, request } from "../Model/remote.ts"
import { makeModelServer, type ModelServer } from "../support/ModelServer.ts"
import { answers, bodiesOf, refusal } from "./modelAnswers.ts"

describe("A refused parameter", () => {
  const namesOf = (server: ModelServer) =>
    Effect.map(
      bodiesOf(server),
      (bodies) =>
        bodies.map((body) =>
          Object.keys(body).filter((name) => name.startsWith("max_")).map((name) => `${name} ${body[name]}`).join()
        )
    )

  it.scopedLive.each([
    refusal(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    ),
    refusal("Unsupported parameter", 400, { param: "max_tokens", code: "unsupported_parameter" }),
    {
      status: 422,
      body: {
        detail: [{ type: "extra_forbidden", loc: ["body", "max_tokens"], msg: "Extra inputs are not permitted" }]
      }
    },
    {
      status: 400,
      body: [{
        error: { code: 400, message: "Unknown name \"max_tokens\": Cannot find field.", status: "INVALID_ARGUMENT" }
      }]
    },
    refusal("Provider returned error", 400, {
      metadata: { raw: "{\"error\":{\"message\":\"max_tokens is unsupported\"}}" }
    }),
    refusal("Upstream: Unsupported parameter: 'max_tokens'", 502)
  ])("max_tokens is max_completion_tokens from then on: %j", (turn) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(turn, { text: "One." }, { text: "Two." })
      assert.deepStrictEqual(yield* answers(server.settings("local", { maxRetries: 0 }), 2, limited), ["One.", "Two."])
      assert.deepStrictEqual(yield* namesOf(server), [
        "max_tokens 90000",
        "max_completion_tokens 90000",
        "max_completion_tokens 90000"
      ])
    }))

  it.scopedLive("max_completion_tokens too: the task goes on without a limit of the answer", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        refusal("Unrecognized request argument supplied: max_tokens"),
        refusal("Extra inputs are not permitted, field: 'max_completion_tokens'", 422),
        { text: "One." }
      )
      assert.deepStrictEqual(yield* answers(server.settings("local"), 1, limited), ["One."])
      assert.deepStrictEqual(yield* namesOf(server), ["max_tokens 90000", "max_completion_tokens 90000", ""])
    }))

  it.scopedLive("is told from a limit that is too high and from a conversation that is too long", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        refusal("max_tokens is too large: 90000. This model supports at most 40000 completion tokens, not 90000."),
        { text: "One." }
      )
      assert.deepStrictEqual(yield* answers(server.settings("local"), 1, limited), ["One."])
      const tooLong = refusal(
        "This model's maximum context length is 8192 tokens. Reduce the messages or max_tokens, unsupported."
      )
      yield* server.script(tooLong)
      const error = yield* Effect.flip(generate(server.settings("local")))
      assert.strictEqual(error._tag, "ContextOverflow")
      assert.deepStrictEqual(yield* namesOf(server), ["max_tokens 90000", "max_tokens 32768", ""])
    }))

  it.scopedLive.each(
    [
      [
        "parallel_tool_calls",
        refusal("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.")
      ],
      ["store", refusal("Unknown parameter: 'store'.")],
      ["include", refusal("Encrypted content is not supported with this model.", 400, { param: "include" })],
      ["temperature", refusal("`temperature` is deprecated for this model.", 422)],
      ["stream", refusal("Your organization must be verified to stream this model.", 400, { param: "stream" })],
      ["max_output_tokens", refusal("Unsupported parameter: max_output_tokens")]
    ] as const
  )("%s is left out from then on", ([name, turn]) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(turn, { text: "One." }, { text: "Two." })
      const given = { ...request, maxOutputTokens: 500, onText: () => Effect.void }
      assert.deepStrictEqual(yield* answers(server.settings("openai"), 2, given), ["One.", "Two."])
      const found = (yield* bodiesOf(server)).map((body) => Predicate.hasProperty(body, name))
      assert.deepStrictEqual(found, [true, false, false])
    }))

  it.scopedLive.each([
    "The prompt was filtered: \"the 'temperature' is not allowed\".",
    "Your message has a system prompt that is not allowed.",
    "Content of the user is not allowed: 'tools[0] is invalid'",
    "Invalid text: tool 'count' has no parameters"
  ])("that a text of the conversation names is sent again: %s", (complaint) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({
        script: ({ body }) => JSON.stringify(body).includes("forbidden words") ? refusal(complaint) : { text: "Fine." }
      })
      const flagged = { ...request, messages: [{ role: "user" as const, content: "forbidden words" }] }
      const found = yield* Effect.flatMap(Model, (model) =>
        Effect.all([model.generate(request), Effect.flip(model.generate(flagged)), model.generate(request)])).pipe(
          Effect.provide(modelLayer(server.settings("local")))
        )
      assert.deepInclude(found[1], { _tag: "ModelRejected", status: 400 })
      const bodies = yield* bodiesOf(server)
      assert.deepStrictEqual(bodies.at(-1), bodies[0])
      assert.isBelow(bodies.length, 8)
    }))

  it.scopedLive("is one of several: each is left out in turn", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        refusal("Unknown parameter: 'store'."),
        refusal("Unknown parameter: 'include'."),
        refusal("Unknown parameter: 'parallel_tool_calls'."),
        refusal("Unknown parameter: 'tools[0].strict'."),
        refusal("Unknown parameter: 'temperature'."),
        { text: "One." }
      )
      assert.deepStrictEqual(yield* answers(server.settings("openai"), 1), ["One."])
      assert.deepStrictEqual(Object.keys((yield* bodiesOf(server)).at(-1) ?? {}), [
        "model",
        "instructions",
        "input",
        "tools"
      ])
    }))
})

const limited = { ...request, maxOutputTokens: 90_000 }
