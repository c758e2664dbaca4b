import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect, Predicate } from "effect"
import { Model } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { callsOf, generate, isBody, modelLayer, question, request, resultsOf } from "./remote.ts"

describe("what a call costs", () => {
  const chunk = (finish: string, usage: object, content = "") => ({
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
    usage
  })

  it.scopedLive("counts what a model thought, where only the total tells of it", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const usage = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 1_016 }
      yield* server.script({ status: 200, body: chunk("stop", usage, "Four.") })
      const { inputTokens, outputTokens } = yield* generate(server.settings("gemini"))
      assert.deepStrictEqual([inputTokens, outputTokens], [20, 996])
    }))

  it.scopedLive("counts the tries that brought nothing, whether the next one answers or none does", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const nothing = { status: 200, body: chunk("unheard_of", { prompt_tokens: 7, completion_tokens: 2 }) }
      yield* server.script(nothing, { text: "Done.", usage: { input: 10, output: 1 } })
      const answered = yield* generate(server.settings("local", { maxRetries: 1 }))
      assert.deepStrictEqual([answered.inputTokens, answered.outputTokens], [17, 3])
      yield* server.script(nothing, nothing)
      const failed = yield* Effect.flip(generate(server.settings("local", { maxRetries: 1 })))
      assert.deepInclude(failed, { _tag: "ModelUnavailable", tokens: [14, 4] })
      yield* server.script({ status: 200, body: chunk("content_filter", { prompt_tokens: 9, completion_tokens: 0 }) })
      assert.deepInclude(yield* Effect.flip(generate(server.settings("local"))), { tokens: [9, 0] })
    }))

  it.scopedLive("leaves it to a task with a token budget whether it asks again after nothing", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ status: 200, body: chunk("unheard_of", { prompt_tokens: 7, completion_tokens: 2 }) })
      const { cut, message } = yield* generate(server.settings("local"), { ...request, maxOutputTokens: 500 })
      assert.strictEqual(message.content, "")
      assert.include(cut, "answered with nothing")
      assert.lengthOf(yield* server.requests, 1)
    }))
})

describe("an output limit that the model does not allow", () => {
  it.scopedLive("is lowered until the model takes it, and from then on at once", () =>
    Effect.gen(function*() {
      const refusal = (most: number): ModelTurn => ({
        status: 400,
        body: { error: { message: `max_tokens is too large: this model supports at most ${most} completion tokens` } }
      })
      const server = yield* makeModelServer()
      yield* server.script(refusal(16_384), refusal(16_384), { text: "Done." }, { text: "Again." })
      const asking = { ...request, maxOutputTokens: 90_000 }
      const said = yield* Effect.flatMap(Model, (model) => Effect.replicateEffect(model.generate(asking), 2)).pipe(
        Effect.provide(modelLayer(server.settings("local")))
      )
      assert.deepStrictEqual(said.map(({ message }) => message.content), ["Done.", "Again."])
      const limits = (yield* server.bodies).map((body) => isBody(body) ? body["max_tokens"] : undefined)
      assert.deepStrictEqual(limits, [90_000, 32_768, 16_384, 16_384])
    }))
})

describe("what only the provider understands", () => {
  it.scopedLive("sends encrypted reasoning back in front of the call that it led to", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ reasoning: "c2VjcmV0", calls: [{ name: "count" }] }, { text: "Done." })
      const { message } = yield* generate(server.settings("openai"))
      yield* generate(server.settings("openai"), {
        ...request,
        messages: [question, message, ...resultsOf(message, "1")]
      })
      const [first, second] = yield* server.bodies
      assert.deepInclude(first, { store: false, include: ["reasoning.encrypted_content"], parallel_tool_calls: true })
      assert.isTrue(isBody(second) && Array.isArray(second.input))
      const items = isBody(second) && Array.isArray(second.input) ? second.input : []
      assert.deepStrictEqual(items.slice(1, 3).map((item) => item.type), ["reasoning", "function_call"])
      assert.strictEqual(items[1].encrypted_content, "c2VjcmV0")
    }))

  it.scopedLive("keeps it from another model", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ reasoning: "c2VjcmV0", calls: [{ name: "count" }] })
      const { message } = yield* generate(server.settings("openai"))
      const later = { ...request, messages: [question, message, ...resultsOf(message, "1")] }
      yield* generate(server.settings("openai", { model: "other-r0" }), later)
      yield* generate(server.settings("gemini"), later)
      for (const { body } of (yield* server.requests).slice(1)) assert.notInclude(body, "c2VjcmV0")
    }))

  it.scopedLive("sends Google's thought signatures back with their calls", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const turn: ModelTurn = { calls: [{ name: "count", signature: "sig-1" }, { name: "count" }] }
      yield* server.script(turn, { text: "Done." }, turn, { text: "Done." })
      for (const onText of [undefined, () => Effect.void]) {
        const given = onText === undefined ? request : { ...request, onText }
        const { message } = yield* generate(server.settings("gemini"), given)
        yield* generate(server.settings("gemini"), {
          ...given,
          messages: [question, message, ...resultsOf(message, "1")]
        })
        const body = (yield* server.requests).at(-1)?.body ?? ""
        assert.include(body, "},\"extra_content\":{\"google\":{\"thought_signature\":\"sig-1\"}}")
      }
    }))
})

describe("a chat template's demands", () => {
  it.scopedLive("are met: one system message, the user first, arguments that are objects, whole characters", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ calls: [{ name: "bad name!", arguments: "{not json" }] }, { text: "Done." })
      const { message } = yield* generate(server.settings("local"))
      assert.deepStrictEqual(callsOf(message), [["bad_name_", "{not json"]])
      const summary: Message = { role: "system", content: "Before: \ud800" }
      yield* generate(server.settings("local"), {
        ...request,
        messages: [summary, message, ...resultsOf(message, "1")]
      })
      const [, body] = yield* server.bodies
      assert.isTrue(Predicate.hasProperty(body, "messages"))
      const text = JSON.stringify(body)
      assert.strictEqual(text.split("\"role\":\"system\"").length, 2)
      assert.include(text, "[Note from the system]\\nBefore: \uFFFD")
      assert.include(text, JSON.stringify(JSON.stringify({ unreadable: "{not json" })))
    }))
})
