import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as fc from "effect/FastCheck"
import { EmbeddingCalls, Embeddings } from "../../src/Model/Embeddings.ts"
import { vectorOf } from "../../src/Model/OfflineEmbeddings.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import { type CallSettings, makeModelServer } from "../support/ModelServer.ts"
import { modelLayer } from "./remote.ts"

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

const near = (one: string, other: string) => cosine(vectorOf(one), vectorOf(other))

const embed = (settings: CallSettings, texts: ReadonlyArray<string>) =>
  Effect.flatMap(Embeddings, (embeddings) => embeddings.embed(texts)).pipe(
    Effect.provide(modelLayer(settings))
  )

describe("embeddings of a provider", () => {
  it.scopedLive("keep the order of the texts, in batches that the provider takes", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      const texts = Array.from({ length: 300 }, (_, index) => `text number ${index}`)
      for (const [provider, calls] of [["openai", 2], ["gemini", 3]] as const) {
        const before = (yield* server.requests).length
        const vectors = yield* embed(server.settings(provider), texts)
        assert.lengthOf(vectors, 300)
        assert.lengthOf((yield* server.requests).slice(before), calls)
        const [last] = yield* embed(server.settings(provider), ["text number 299"])
        assert.deepStrictEqual(vectors[299], last)
        const requests = (yield* server.requests).slice(before)
        assert.isTrue(requests.every(({ body }) => body.startsWith("{\"model\":\"fake-embedding\"")))
      }
    }))

  it.scopedLive("need no call for no texts, and take empty ones", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      assert.deepStrictEqual(yield* embed(server.settings("local"), []), [])
      assert.lengthOf(yield* server.requests, 0)
      assert.lengthOf(yield* embed(server.settings("local"), ["", " "]), 2)
      assert.notInclude((yield* server.requests)[0]?.body ?? "", "\"\"")
    }))

  it.scopedLive("are read from servers that answer with no more than the vectors", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      for (const provider of ["openai", "local", "gemini"] as const) {
        yield* server.script({ status: 200, body: { data: [{ embedding: [1, 0] }] } })
        const vectors = yield* embed(server.settings(provider, { maxRetries: 0 }), ["one"])
        assert.deepStrictEqual(vectors, [Float32Array.of(1, 0)])
      }
    }))

  it.scopedLive("fail where vectors are missing", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ status: 200, body: { data: [{ index: 0, embedding: [1, 0] }] } })
      const error = yield* Effect.flip(embed(server.settings("openai", { maxRetries: 0 }), ["one", "two"]))
      assert.strictEqual(error._tag, "ModelUnavailable")
    }))
})

describe("calls of embeddings", () => {
  it.scopedLive("are noted as they end, those of the provider only", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* Effect.gen(function*() {
        const embeddings = yield* Embeddings
        const { last } = yield* EmbeddingCalls
        yield* embeddings.embed([])
        assert.isTrue(Option.isNone(yield* last))
        yield* embeddings.embed(["one"])
        const first = Option.getOrThrow(yield* last)
        assert.isNull(first.failure)
        yield* embeddings.embed(["one"])
        assert.strictEqual(Option.getOrThrow(yield* last), first)
        yield* server.script({ status: 401, body: { error: { message: "no such key" } } })
        yield* Effect.flip(embeddings.embed(["two"]))
        assert.strictEqual(Option.getOrThrow(yield* last).failure?._tag, "ModelRejected")
        yield* embeddings.embed(["three"])
        assert.isNull(Option.getOrThrow(yield* last).failure)
      }).pipe(Effect.provide(modelLayer(server.settings("openai"))))
    }))
})

describe("embeddings without a provider", () => {
  it.prop("are unit vectors, the same every time", { text: textOf() }, ({ text }) => {
    const vector = vectorOf(text)
    assert.closeTo(cosine(vector, vector), 1, 1e-5)
    assert.deepStrictEqual(vectorOf(text), vector)
  })

  it("put texts that share words nearer than those that share none", () => {
    const query = "write a weekly report about sales"
    assert.isAbove(near(query, "reports: weekly sales report"), 0.35)
    assert.isBelow(near(query, "rotate the database password"), 0.25)
    assert.isAbove(near("Deploy the service", "deploy service!"), 0.97)
  })
})

function textOf() {
  return fc.string({ unit: "grapheme", maxLength: 80 })
}

const cachedOver = (embeddings: Embeddings["Type"]) =>
  Embeddings.pipe(Effect.provide(Layer.provide(Embeddings.layerCached, Layer.succeed(Embeddings, embeddings))))

describe("The embedding cache", () => {
  it.live("asks once for a text that two ask for at the same moment, and for a list each time", () =>
    Effect.gen(function*() {
      const asked: Array<ReadonlyArray<string>> = []
      const embed = (texts: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          asked.push(texts)
          return Effect.delay(Effect.succeed(texts.map((text) => Float32Array.of(text.length))), "1 millis")
        })
      const cached = yield* cachedOver({ model: "test/one", embed })
      const both = yield* Effect.all([cached.embed(["abc"]), cached.embed(["abc"])], { concurrency: 2 })
      assert.deepStrictEqual(both.map(([vector]) => vector?.[0]), [3, 3])
      yield* cached.embed(["abc"])
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual((yield* cached.embed(["a", "ab"])).map((vector) => vector[0]), [1, 2])
      yield* cached.embed(["a", "ab"])
      assert.strictEqual(asked.length, 3)
      assert.deepStrictEqual(yield* cached.embed([]), [])
    }))

  it.effect("asks without the limit of the caller that came first, as others wait for the same call", () =>
    Effect.gen(function*() {
      const limits: Array<number> = []
      const embed = () =>
        Effect.map(CallTimeLeft, (left) => {
          limits.push(left())
          return [Float32Array.of(1)]
        })
      const cached = yield* cachedOver({ model: "test/one", embed })
      yield* Effect.provideService(cached.embed(["abc"]), CallTimeLeft, () => 5)
      assert.deepStrictEqual(limits, [Number.POSITIVE_INFINITY])
    }))
})
