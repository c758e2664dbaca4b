import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { names, secret } from "./models.ts"
import { answer, entryOf, onDatabase, startProcess } from "./registry.ts"

describe("The models of the service", () => {
  it.scopedLive("keep a key that is not given again, which is sealed in the database and never shown", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const { model, models } = yield* startProcess()
      const saved = yield* models.save("main", entryOf(server, { api_key: secret }))
      const again = yield* models.save("main", entryOf(server, { context_tokens: 20_000, temperature: 0.5 }))
      assert.deepStrictEqual([saved.has_key, again.has_key, again.context_tokens, again.temperature], [
        true,
        true,
        20_000,
        0.5
      ])
      assert.deepStrictEqual([saved.overrides, again.overrides], [
        ["base_url"],
        ["base_url", "context_tokens", "temperature"]
      ])
      assert.notInclude(JSON.stringify([saved, again, yield* models.report]), secret)
      yield* models.choose({ default: "main" })
      yield* answer(model)
      assert.strictEqual((yield* server.requests).at(-1)?.headers["authorization"], `Bearer ${secret}`)
      const sql = yield* SqlClient
      assert.notInclude(JSON.stringify(yield* sql`select * from model_config`), secret)
      assert.isFalse((yield* models.save("main", entryOf(server, { api_key: null }))).has_key)
    }).pipe(Effect.provide(Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 1 })), onDatabase))))

  it.scopedLive("take no key to another address without being given it again", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess()
      yield* models.save("main", entryOf({ url: "http://127.0.0.1:9/v1" }, { api_key: secret }))
      const moved = yield* Effect.flip(models.save("main", entryOf({ url: "http://127.0.0.1:10/v1" })))
      assert.deepInclude(moved, { _tag: "ModelInvalid", field: "api_key" })
      assert.strictEqual((yield* models.report).models.at(-1)?.base_url, "http://127.0.0.1:9/v1")
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("refuse a key that can't be sealed, and none without a key", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess({ secretsKey: null })
      const url = { url: "http://127.0.0.1:9/v1" }
      const refused = yield* Effect.flip(models.save("main", entryOf(url, { api_key: secret })))
      assert.strictEqual(refused._tag, "KeyNotSealable")
      assert.include(refused.message, "SECRETS_KEY")
      assert.isFalse((yield* models.save("main", entryOf(url))).has_key)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("say of a key of another SECRETS_KEY that it can't be read", () =>
    Effect.gen(function*() {
      const before = yield* startProcess()
      yield* before.models.save("main", entryOf({ url: "http://127.0.0.1:9/v1" }, { api_key: secret }))
      const { models } = yield* startProcess({ secretsKey: "l".repeat(32) })
      const { models: [, main] } = yield* models.report
      assert.deepInclude(main, { status: "wrong_key", has_key: true })
      assert.include(main?.detail, "SECRETS_KEY")
      assert.isFalse((yield* models.test("main")).ok)
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("have names and addresses that can be used", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess({ isHosted: true })
      const refused = (name: string, entry: Parameters<typeof models.save>[1]) =>
        Effect.map(
          Effect.flip(models.save(name, entry)),
          (error) => error._tag === "ModelInvalid" ? error.field : error._tag
        )
      const outside = entryOf({ url: "https://models.example.org/v1" })
      for (const name of ["default", "settings", "Default", "", " a", "a/b", "x".repeat(65)]) {
        assert.strictEqual(yield* refused(name, outside), "name")
      }
      const { base_url: _, ...withoutAddress } = outside
      assert.strictEqual(yield* refused("main", withoutAddress), "base_url")
      for (
        const url of [
          "not an address",
          "ftp://models.example.org",
          "http://user:password@models.example.org/v1",
          "http://127.0.0.1:11434/v1",
          "http://169.254.169.254/v1",
          "http://[::1]:11434/v1",
          "http://localhost:11434/v1",
          "http://10.0.0.7/v1"
        ]
      ) {
        assert.strictEqual(yield* refused("main", entryOf({ url })), "base_url", url)
      }
      assert.strictEqual(
        (yield* models.save("main", entryOf({ url: "https://models.example.org" }))).base_url,
        outside.base_url
      )
      for (const choice of [{ default: "none" }, { default: "main", fallbacks: ["settings", "settings"] }]) {
        assert.strictEqual((yield* Effect.flip(models.choose(choice)))._tag, "ModelInvalid")
      }
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("are listed by their providers, and tried before they are saved", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const { models } = yield* startProcess()
      const { model: _, ...place } = entryOf(server, { api_key: secret })
      assert.deepStrictEqual(yield* models.catalogue(place), { models: ["fake"], detail: null })
      yield* server.script({ text: "OK" })
      const tried = yield* models.trial(entryOf(server, { api_key: secret }))
      assert.deepInclude(tried, { ok: true })
      assert.isAtLeast(tried.latency_ms, 0)
      assert.strictEqual((yield* server.requests).at(-1)?.headers["authorization"], `Bearer ${secret}`)
      assert.deepStrictEqual(names(yield* models.report), ["settings"])
      const dead = yield* models.catalogue({ ...place, base_url: "http://127.0.0.1:9/v1" })
      assert.deepInclude(dead, { models: [] })
      assert.include(dead.detail, "could not be reached")
    }).pipe(Effect.provide(onDatabase)))

  it.scopedLive("are typed where the provider lists none, and the reason is said", () =>
    Effect.gen(function*() {
      const { models } = yield* startProcess()
      for (const [status, body, what] of [[404, {}, "is not there (404)"], [200, { data: [] }, "is empty"]] as const) {
        const { url } = yield* makeModelServer({ script: () => ({ status, body }) })
        assert.deepStrictEqual(yield* models.catalogue({ provider: "openai-compatible", base_url: url }), {
          models: [],
          detail: `The list of models at ${url}/models ${what}: check the address, or type the name of a model.`
        })
      }
    }).pipe(Effect.provide(onDatabase)))
})
