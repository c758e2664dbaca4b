import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Embeddings } from "../../src/Model/Embeddings.ts"
import { ContextOverflow, ModelRejected } from "../../src/Model/Model.ts"
import * as SkillVectors from "../../src/Skill/SkillVectors.ts"

const provider = "test"
const refusal = new ModelRejected({ provider, status: 400, reason: "Not this." })

/** Vectors by a model that refuses calls with some texts, and the calls so far. */
const makeWorld = Effect.gen(function*() {
  const calls: Array<ReadonlyArray<string>> = []
  const world = { calls, refuses: (_text: string): boolean => false }
  const embed: Embeddings["Type"]["embed"] = (texts) =>
    Effect.suspend(() => {
      calls.push(texts)
      return texts.some(world.refuses) ? Effect.fail(refusal) : Effect.succeed(texts.map(() => Float32Array.of(3, 4)))
    })
  return Object.assign(world, { vectors: yield* SkillVectors.make({ model: "test", embed }) })
})

const texts = Array.from({ length: 64 }, (_, number) => `text ${number}`)

/** The places of those that have no vector. */
const without = (vectors: ReadonlyArray<Float32Array>) =>
  vectors.flatMap((vector, place) => vector.length === 0 ? [place] : [])

describe("SkillVectors", () => {
  it.effect("go without those of the texts that the model refuses, and find them in a few calls", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.refuses = (text) => text === "text 5" || text === "text 40"
      const vectors = yield* world.vectors.ofAll(texts)
      assert.deepStrictEqual(without(vectors), [5, 40])
      assert.closeTo(vectors[0]?.[1] ?? 0, 0.8, 1e-6)
      assert.isAtMost(world.calls.length, 25)
    }))

  it.effect("leave a refused text alone for ten minutes", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.refuses = (text) => text === "text 1"
      yield* world.vectors.ofAll(texts)
      world.refuses = () => false
      const before = world.calls.length
      yield* TestClock.adjust("599 seconds")
      assert.deepStrictEqual(without(yield* world.vectors.ofAll([...texts, "another"])), [1])
      assert.deepStrictEqual(world.calls.slice(before), [["another"]])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(without(yield* world.vectors.ofAll(texts)), [])
      assert.deepStrictEqual(world.calls.slice(before + 1), [["text 1"]])
    }))

  it.effect("take a refusal of all texts for none of theirs, and soon give up asking", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.refuses = () => true
      for (const some of [texts, texts.slice(0, 1), texts.slice(0, 3)]) {
        const before = world.calls.length
        assert.strictEqual(yield* Effect.flip(world.vectors.ofAll(some)), refusal)
        assert.isAtMost(world.calls.length - before, 20)
      }
      world.refuses = () => false
      assert.deepStrictEqual(without(yield* world.vectors.ofAll(texts)), [])
    }))

  it.effect("take a text apart from the others that is too long for the model", () =>
    Effect.gen(function*() {
      const embed: Embeddings["Type"]["embed"] = (some) =>
        some.join("").length > 20
          ? new ContextOverflow({ provider, reason: "Too long." })
          : Effect.succeed(some.map(() => Float32Array.of(1)))
      const vectors = yield* SkillVectors.make({ model: "test", embed })
      assert.deepStrictEqual(without(yield* vectors.ofAll(["short", "x".repeat(30), "shorter"])), [1])
    }))
})
