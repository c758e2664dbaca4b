import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { ModelUnavailable } from "../../src/Model/Model.ts"
import { rememberedEmbeddings } from "../../src/Model/RememberedEmbeddings.ts"

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

describe("rememberedEmbeddings", () => {
  it.live("asks once for a text that two ask for at the same moment, and for a list each time", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const remembered = yield* rememberedEmbeddings(embeddings)
      const both = yield* Effect.all([remembered.embed(["abc"]), remembered.embed(["abc"])], { concurrency: 2 })
      assert.deepStrictEqual(both.map(([vector]) => vector?.[0]), [3, 3])
      yield* remembered.embed(["abc"])
      assert.strictEqual(seen.asked.length, 1)
      assert.deepStrictEqual((yield* remembered.embed(["a", "ab"])).map((vector) => vector[0]), [1, 2])
      yield* remembered.embed(["a", "ab"])
      assert.strictEqual(seen.asked.length, 3)
      assert.deepStrictEqual(yield* remembered.embed([]), [])
    }))

  it.effect("goes on asking for a text when the first that asked for it is interrupted", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const remembered = yield* rememberedEmbeddings(embeddings)
      const [first, second] = [
        yield* Effect.fork(remembered.embed(["abc"])),
        yield* Effect.fork(remembered.embed(["abc"]))
      ]
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(second))[0]?.[0], 3)
      assert.strictEqual(seen.asked.length, 1)
    }))

  it.effect("remembers no failure, and forgets after a while", () =>
    Effect.gen(function*() {
      const { embeddings, seen } = provider()
      const remembered = yield* rememberedEmbeddings(embeddings)
      seen.away = true
      assert.strictEqual((yield* Effect.flip(remembered.embed(["abc"])))._tag, "ModelUnavailable")
      seen.away = false
      const ask = Effect.gen(function*() {
        const fiber = yield* Effect.fork(remembered.embed(["abc"]))
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
