import { assert, describe, it } from "@effect/vitest"
import { SkillName } from "@troupe/domain/Skill"
import { Context, Effect, Layer, Ref, TestClock } from "effect"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { ContextOverflow, type ModelError, ModelRejected, ModelUnavailable } from "../../src/Model/Model.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import * as SkillVectors from "../../src/Skill/SkillVectors.ts"
import { makePlace, skillText } from "./place.ts"

const cooking = skillText("cooking", "Plan meals and write recipes for dinner guests.", "tags: [menu]\n")
const invoices = skillText("invoices", "Check invoices and payments of suppliers.", "tags: [Billing]\n")

const draft = { name: SkillName.make("gardening"), description: "Water plants and prune roses.", instructions: "Dig." }

const notThis = new ModelRejected({ provider: "test", status: 400, reason: "Not this." })

/** Matching over two skills, the texts that were embedded so far, and a switch that breaks the provider. */
const makeWorld = Effect.gen(function*() {
  const place = yield* makePlace()
  place.put("builtin/cooking/SKILL.md", cooking)
  place.put("builtin/invoices/SKILL.md", invoices)
  const skills = yield* place.skills
  const embedded = yield* Ref.make<ReadonlyArray<string>>([])
  const broken = yield* Ref.make(false)
  const refusal = yield* Ref.make<ModelError | null>(null)
  const embeddings: Embeddings["Type"] = {
    model: offlineEmbeddings.model,
    embed: (texts) =>
      Effect.gen(function*() {
        if (texts.some((text) => text.includes("Unspeakable"))) return yield* notThis
        if (yield* Ref.get(broken)) return yield* new ModelUnavailable({ provider: "test", reason: "Down." })
        const refused = yield* Ref.get(refusal)
        if (refused !== null) return yield* refused
        yield* Ref.update(embedded, (before) => [...before, ...texts])
        yield* Effect.yieldNow()
        return yield* offlineEmbeddings.embed(texts)
      })
  }
  const layer = SkillMatching.layer({ threshold: 0.35, maxSkills: 3 }).pipe(
    Layer.provide([
      Layer.succeed(Skills, skills),
      Layer.provide(Embeddings.layerCached, Layer.succeed(Embeddings, embeddings))
    ])
  )
  const matching = Context.get(yield* Layer.build(layer), SkillMatching)
  return { skills, matching, embedded, broken, refusal }
})

describe("SkillMatching", () => {
  it.scoped("finds a skill by its meaning, by its tags, or by both", () =>
    Effect.gen(function*() {
      const { matching } = yield* makeWorld
      const semantic = yield* matching.match("write recipes and plan meals for dinner")
      assert.deepStrictEqual(semantic.map(({ matched_by, name }) => [name, matched_by]), [
        [SkillName.make("cooking"), ["semantic"]]
      ])
      const [tagged] = yield* matching.match("something about BILLING, quickly")
      assert.deepInclude(tagged, { name: SkillName.make("invoices"), matched_by: ["tag"] })
      assert.closeTo(tagged?.score ?? 0, 0.45, 1e-9)
      const [both] = yield* matching.match("billing: check invoices and payments of suppliers")
      assert.deepStrictEqual(both?.matched_by, ["tag", "semantic"])
      assert.isEmpty(yield* matching.match("tune the violin"))
      assert.isEmpty(yield* matching.match("  "))
    }))

  it.scoped("compares the meaning of the tags as well as that of the description", () =>
    Effect.gen(function*() {
      const { matching, skills } = yield* makeWorld
      yield* skills.create({ ...draft, description: "A form.", tags: ["annual leave requests", "holidays in summer"] })
      const [found] = yield* matching.match("holidays: requests for annual leave in the summer")
      assert.deepInclude(found, { name: draft.name, matched_by: ["semantic"] })
    }))

  it.scoped("embeds each text once, even for requests that come together", () =>
    Effect.gen(function*() {
      const { embedded, matching, skills } = yield* makeWorld
      yield* Effect.all(["plan meals", "pay", "sing"].map((query) => matching.match(query)), {
        concurrency: "unbounded"
      })
      assert.strictEqual((yield* Ref.get(embedded)).length, 2 + 3)
      yield* matching.match("plan meals")
      yield* matching.similarity("plan meals")
      assert.strictEqual((yield* Ref.get(embedded)).length, 5)

      yield* skills.create(draft)
      yield* matching.match("plan meals")
      const second = (yield* Ref.get(embedded)).slice(5)
      assert.strictEqual(second.length, 1)
      assert.include(second[0], "prune roses")

      yield* skills.update("gardening", { instructions: "Dig deeper.", author: "Ann" })
      yield* matching.match("plan meals")
      assert.strictEqual((yield* Ref.get(embedded)).length, 6)
      yield* skills.update("gardening", { description: "Mow the lawn." })
      yield* matching.match("plan meals")
      assert.strictEqual((yield* Ref.get(embedded)).length, 7)
    }))

  it.scoped("uses tags alone while there are no embeddings, and recovers", () =>
    Effect.gen(function*() {
      const { broken, matching } = yield* makeWorld
      yield* Ref.set(broken, true)
      const matches = yield* matching.match("billing: write recipes and plan meals")
      assert.deepStrictEqual(matches.map(({ matched_by, name }) => [name, matched_by]), [
        [SkillName.make("invoices"), ["tag"]]
      ])
      assert.strictEqual((yield* Effect.flip(matching.similarity("plan meals")))._tag, "ModelUnavailable")
      yield* Ref.set(broken, false)
      // A provider that failed is left alone for a while.
      assert.strictEqual((yield* matching.match("billing: write recipes and plan meals")).length, 1)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* matching.match("billing: write recipes and plan meals")).length, 2)
    }))

  it.scoped("still calls the model after a refusal of one text, and pauses after other failures", () =>
    Effect.gen(function*() {
      const { matching, refusal } = yield* makeWorld
      const provider = "test"
      yield* matching.similarity("plan meals")
      const ofText = [400, 413, 422].map((status) => new ModelRejected({ provider, status, reason: "Not this." }))
      for (const error of [...ofText, new ContextOverflow({ provider, reason: "Too long." })]) {
        yield* Ref.set(refusal, error)
        assert.strictEqual((yield* Effect.flip(matching.similarity("odd"))).message, error.message)
        yield* Ref.set(refusal, null)
        assert.isAbove((yield* matching.similarity(`plan meals ${error.message}`))[0]?.semantic ?? 0, 0.35)
      }
      yield* Ref.set(refusal, new ModelRejected({ provider, status: 401, reason: "No key." }))
      yield* Effect.flip(matching.similarity("odd"))
      yield* Ref.set(refusal, null)
      assert.strictEqual((yield* Effect.flip(matching.similarity("fresh"))).message, "No key.")
    }))

  it.scoped("leaves to its tags only the skill whose text the model refuses", () =>
    Effect.gen(function*() {
      const { matching, skills } = yield* makeWorld
      yield* skills.create({ ...draft, description: "Unspeakable.", tags: ["roses"] })
      const names = (query: string) => Effect.map(matching.match(query), (found) => found.map(({ name }) => `${name}`))
      assert.deepStrictEqual(yield* names("write recipes and plan meals for dinner"), ["cooking"])
      assert.deepStrictEqual(yield* names("roses: plan meals and write recipes for dinner"), ["cooking", "gardening"])
    }))
})

/** Vectors by a model that refuses calls with some texts, and the calls so far. */
const makeVectors = Effect.gen(function*() {
  const calls: Array<ReadonlyArray<string>> = []
  const world = { calls, refuses: (_text: string): boolean => false }
  const embed: Embeddings["Type"]["embed"] = (texts) =>
    Effect.suspend(() => {
      calls.push(texts)
      return texts.some(world.refuses) ? Effect.fail(notThis) : Effect.succeed(texts.map(() => Float32Array.of(3, 4)))
    })
  return Object.assign(world, { vectors: SkillVectors.make({ model: "test", embed }) })
})

const texts = Array.from({ length: 64 }, (_, number) => `text ${number}`)

/** The places of those that have no vector. */
const without = (vectors: ReadonlyArray<Float32Array>) =>
  vectors.flatMap((vector, place) => vector.length === 0 ? [place] : [])

describe("SkillVectors", () => {
  it.effect("go without those of the texts that the model refuses, and find them in a few calls", () =>
    Effect.gen(function*() {
      const world = yield* makeVectors
      const bad = [3, 9, 17, 30, 31, 44, 63]
      world.refuses = (text) => bad.some((number) => text === `text ${number}`)
      const vectors = yield* world.vectors.ofAll(texts)
      assert.deepStrictEqual(without(vectors), bad)
      assert.closeTo(vectors[0]?.[1] ?? 0, 0.8, 1e-6)
      assert.isAtMost(world.calls.length, 60)
    }))

  it.effect("are asked for a bounded number of times, however many texts are refused beside those that are known", () =>
    Effect.gen(function*() {
      const world = yield* makeVectors
      yield* world.vectors.ofAll(["known"])
      world.refuses = (text) => text !== "known"
      const many = Array.from({ length: 500 }, (_, number) => `refused ${number}`)
      const vectors = yield* world.vectors.ofAll(["known", ...many])
      assert.deepStrictEqual(without(vectors), many.map((_, number) => number + 1))
      assert.isAtMost(world.calls.length, 60)
    }))

  it.effect("leave a refused text alone for ten minutes", () =>
    Effect.gen(function*() {
      const world = yield* makeVectors
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

  it.effect("do not blame the texts when the model refuses all of them, and stop asking soon", () =>
    Effect.gen(function*() {
      const world = yield* makeVectors
      world.refuses = () => true
      for (const some of [texts, texts.slice(0, 1), texts.slice(0, 3)]) {
        const before = world.calls.length
        assert.strictEqual(yield* Effect.flip(world.vectors.ofAll(some)), notThis)
        assert.isAtMost(world.calls.length - before, 20)
      }
      world.refuses = () => false
      assert.deepStrictEqual(without(yield* world.vectors.ofAll(texts)), [])
    }))

  it.effect("take a text apart from the others that is too long for the model", () =>
    Effect.gen(function*() {
      const embed: Embeddings["Type"]["embed"] = (some) =>
        some.join("").length > 20
          ? new ContextOverflow({ provider: "test", reason: "Too long." })
          : Effect.succeed(some.map(() => Float32Array.of(1)))
      const vectors = SkillVectors.make({ model: "test", embed })
      assert.deepStrictEqual(without(yield* vectors.ofAll(["short", "x".repeat(30), "shorter"])), [1])
    }))
})
