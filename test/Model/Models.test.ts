import { assert, describe, it } from "@effect/vitest"
import type { ModelEntry } from "@troupe/api/ModelsApi"
import { Effect, Fiber, Option, Redacted } from "effect"
import { eventually } from "../support/Eventually.ts"
import { makeModelServer, type ModelRequestSeen } from "../support/ModelServer.ts"
import { names, secret } from "./models.ts"
import { answer, ask, entryOf, onDatabase, startProcess } from "./registry.ts"

const isCall = ({ method }: ModelRequestSeen) => method === "POST"

describe("The models of the service", () => {
  it.scopedLive("are that of the settings alone at first, which is the default", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess()
      const { default: first, fallbacks, models: [only, ...others] } = yield* models.report
      assert.deepStrictEqual([first, fallbacks, others], ["settings", [], []])
      assert.deepInclude(only, {
        name: "settings",
        provider: "offline",
        model: "offline",
        base_url: null,
        has_key: false,
        source: "settings",
        status: "answers"
      })
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("are there at once in every process, and a call under way keeps its model", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const [one, other] = yield* Effect.all([startProcess(), startProcess()])
      yield* one.models.save("slow", entryOf(server))
      yield* one.models.choose({ default: "slow" })
      yield* eventually(other.models.report, (report) => report.default === "slow", "1 second")
      yield* server.script({ text: "From the slow one.", delay: 300 })
      const under = yield* Effect.fork(answer(other.model))
      yield* server.arrivals.take
      yield* one.models.choose({ default: "settings" })
      yield* one.models.remove("slow")
      yield* eventually(other.models.report, (report) => names(report).length === 1, "1 second")
      assert.strictEqual(yield* Fiber.join(under), "From the slow one.")
      assert.include(yield* answer(other.model), "offline model")
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("have the list price at their maker, unless MODEL_PRICES or they themselves have another", () =>
    Effect.gen(function*() {
      const own = { input: 1, output: 3 }
      const { models } = yield* startProcess({ prices: { "gpt-5-mini": own } })
      const price = (name: string, entry: Omit<ModelEntry, "provider">) =>
        Effect.map(models.save(name, { provider: "openai", ...entry }), ({ price }) => price)
      assert.deepStrictEqual(yield* price("listed", { model: "gpt-5" }), {
        input: 1.25,
        output: 10,
        cached_input: 0.125
      })
      assert.deepStrictEqual(yield* price("given", { model: "gpt-5-mini" }), own)
      assert.deepStrictEqual(yield* price("stored", { model: "gpt-5", price: { input: 2, output: 4 } }), {
        input: 2,
        output: 4
      })
      assert.isNull(yield* price("elsewhere", { model: "gpt-5", base_url: "https://gateway.example.org/v1" }))
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("can't be deleted while they are the default, a fallback or that of the settings", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess()
      const entry = entryOf({ url: "http://127.0.0.1:9/v1" })
      yield* Effect.forEach(["first", "second", "third"], (name) => models.save(name, entry))
      yield* models.choose({ default: "first", fallbacks: ["second"] })
      for (const name of ["first", "second", "settings"]) {
        assert.strictEqual((yield* Effect.flip(models.remove(name)))._tag, "ModelInUse")
      }
      assert.strictEqual((yield* Effect.flip(models.remove("none")))._tag, "ModelNotFound")
      yield* models.remove("third")
      assert.deepStrictEqual(names(yield* models.report), ["settings", "first", "second"])
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("say what their last call showed", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const { models } = yield* startProcess()
      yield* models.save("main", entryOf(server, { api_key: secret }))
      const status = Effect.map(models.report, ({ models }) => models.at(-1)?.status)
      const shown = [
        ["answers", { text: "OK" }],
        ["wrong_key", { status: 401, body: { error: { message: "Incorrect API key provided." } } }],
        ["unknown_model", {
          status: 404,
          body: { error: { code: "model_not_found", message: "The model does not exist" } }
        }],
        ["unknown_model", { status: 400, body: { error: { message: "x is not a valid model ID" } } }],
        ["refused", { status: 400, body: { error: { message: "No." } } }],
        ["unavailable", { status: 503, body: "" }]
      ] as const
      for (const [expected, turn] of shown) {
        yield* server.script(turn)
        const { detail, ok } = yield* models.test("main")
        assert.strictEqual(ok, expected === "answers", detail)
        assert.strictEqual(yield* status, expected, detail)
      }
      assert.match((yield* models.report).models.at(-1)?.detail ?? "", /\(\d s ago\)/)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("are reported although the server of one hangs, which is asked once and not waited for", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({ script: () => ({ hang: true }) })
      const { models } = yield* startProcess()
      yield* models.save("main", entryOf(server))
      const reports = yield* Effect.all([models.report, models.report], { concurrency: 2 })
      assert.deepStrictEqual(reports.map(({ models }) => models.at(-1)?.status), ["untested", "untested"])
      assert.lengthOf(yield* server.requests, 1)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("get back what they thought themselves, and nothing that a model of another address thought", () =>
    Effect.gen(function*() {
      const [own, other] = yield* Effect.all([makeModelServer(), makeModelServer()])
      const { model, models } = yield* startProcess({
        provider: {
          _tag: "local",
          baseUrl: own.url,
          apiKey: Option.some(Redacted.make(secret)),
          model: "fake-r0",
          embeddingModel: "e"
        }
      })
      const thought = { choices: [{ message: { content: "Three.", encrypted_state: "b3BhcXVl" } }] }
      yield* own.script({ body: thought }, { text: "Done." })
      const { message } = yield* model.generate(ask)
      const later = { ...ask, messages: [...ask.messages, message, { role: "user" as const, content: "Sure?" }] }
      yield* model.generate(later)
      yield* models.save("other", entryOf(other))
      yield* models.choose({ default: "other" })
      yield* other.script({ text: "Done." })
      yield* model.generate(later)
      const lasts = (yield* Effect.all([own.requests, other.requests])).map((sent) => sent.findLast(isCall)?.body ?? "")
      assert.deepStrictEqual(lasts.map((body) => body.includes("b3BhcXVl")), [true, false])
    }).pipe(Effect.provide(onDatabase)))
})
