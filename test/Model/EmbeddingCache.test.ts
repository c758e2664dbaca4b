import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import * as EmbeddingCache from "../../src/Model/EmbeddingCache.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { ModelUnavailable } from "../../src/Model/Model.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"

/** Embeddings that count what they are asked, and may be away. */
const provider = () => {
  const seen = { asked: [] as Array<ReadonlyArray<string>>, away: false }
  const embed = (texts: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      seen.asked.push(texts)
      return seen.away
        ? new ModelUnavailable({ provider: "test", reason: "away" })
        : Effect.delay(Effect.succeed(texts.map((text) => Float32Array.of(text.length))), "1 millis")
    })
  return { seen, embeddings: { model: "test/one", embed } }
}

const cachedOver = (embeddings: Embeddings["Type"]) =>
  Embeddings.pipe(Effect.provide(Layer.provide(EmbeddingCache.layer, Layer.succeed(Embeddings, embeddings))))

describe("The embedding cache", () => {
  it.live("asks once for a text that two ask for at the same moment, and for a list each time", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const cached = yield* cachedOver(embeddings)
      const both = yield* Effect.all([cached.embed(["abc"]), cached.embed(["abc"])], { concurrency: 2 })
      assert.deepStrictEqual(both.map(([vector]) => vector?.[0]), [3, 3])
      yield* cached.embed(["abc"])
      assert.strictEqual(seen.asked.length, 1)
      assert.deepStrictEqual((yield* cached.embed(["a", "ab"])).map((vector) => vector[0]), [1, 2])
      yield* cached.embed(["a", "ab"])
      assert.strictEqual(seen.asked.length, 3)
      assert.deepStrictEqual(yield* cached.embed([]), [])
    }))

  it.effect("goes on asking for a text when the first that asked for it is interrupted", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const cached = yield* cachedOver(embeddings)
      const [first, second] = [
        yield* Effect.fork(cached.embed(["abc"])),
        yield* Effect.fork(cached.embed(["abc"]))
      ]
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(second))[0]?.[0], 3)
      assert.strictEqual(seen.asked.length, 1)
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

  it.effect("caches no failure, and expires", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const cached = yield* cachedOver(embeddings)
      seen.away = true
      assert.strictEqual((yield* Effect.flip(cached.embed(["abc"])))._tag, "ModelUnavailable")
      seen.away = false
      const ask = Effect.gen(function*() {
        const fiber = yield* Effect.fork(cached.embed(["abc"]))
        yield* TestClock.adjust("1 millis")
        return yield* fiber
      })
      yield* ask
      yield* ask
      assert.strictEqual(seen.asked.length, 2)
      yield* TestClock.adjust("11 minutes")
      yield* ask
      assert.strictEqual(seen.asked.length, 3)
    }))
})
