import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { ModelRejected } from "../../src/Model/Model.ts"
import { CallTimeLeft } from "../../src/Runtime/CallTimeLeft.ts"
import { makeEmbeddings } from "./embeddings.ts"
import { allOf, contentsOf, process, someone, store, unavailable } from "./memories.ts"
import { memoriesOf, removeMemory } from "./rows.ts"

layer(store)("Memories of several processes, and after a change of the model", (it) => {
  it.scoped("that are saved at the same moment by two processes are merged too", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* process(), yield* process()]
      const user = yield* someone
      yield* Effect.forEach(
        Array.from({ length: 10 }, (_, number) => number),
        (number) =>
          (number % 2 === 0 ? one : other).save(user, { content: "The same @30", tags: [`tag${number}`] }).pipe(
            Effect.zipRight(
              (number % 2 === 0 ? other : one).save(user, { content: `Own @${-number * 15}`, tags: [] })
            )
          ),
        { concurrency: "unbounded" }
      )
      const all = yield* memoriesOf(user)
      assert.strictEqual(all.length, 11)
      const same = all.find(({ content }) => content.startsWith("The same"))
      assert.strictEqual(same?.tags.length, 10)
      assert.strictEqual((yield* (yield* MemoryRepo).owner(user)).memories, 11)
      assert.strictEqual((yield* other.search(user, "@30", 1))[0]?.content, "The same @30")
    }))

  it.scoped("that one process saved or removed are at once those of another", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* process(), yield* process()]
      const user = yield* someone
      const { id } = yield* one.save(user, { content: "First @0", tags: [] })
      yield* one.save(user, { content: "Second @40", tags: [] })
      assert.deepStrictEqual(contentsOf(yield* other.search(user, "@0", 5)), ["First @0", "Second @40"])
      yield* one.save(user, { content: "First, changed @2", tags: [] })
      assert.deepStrictEqual(contentsOf(yield* other.search(user, "@0", 5)), ["First, changed @2", "Second @40"])
      yield* removeMemory(user, id)
      yield* one.save(user, { content: "Third @80", tags: [] })
      assert.deepStrictEqual(contentsOf(yield* other.search(user, "@0", 5)), ["Second @40", "Third @80"])
    }))

  it.scoped("of an earlier model are embedded anew, and never compared with the vectors of another", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const user = yield* someone
      const before = yield* process(embeddings)
      yield* before.save(user, { content: "Made by one @0", tags: [] })
      embeddings.model = "test/two"
      embeddings.embed = (text) =>
        text.includes("Made by one") ? Effect.fail(unavailable) : Effect.succeed(Float32Array.of(1, 0))
      assert.deepStrictEqual(yield* (yield* process(embeddings)).search(user, "anything", 5), [])
      embeddings.embed = () => Effect.succeed(Float32Array.of(1, 0, 0))
      const after = yield* process(embeddings)
      const [found] = yield* after.search(user, "anything", 5)
      assert.strictEqual(found?.content, "Made by one @0")
      assert.strictEqual(found?.score, 1)
    }))

  it.scoped("that another process saves with another model are embedded again within ten minutes", () =>
    Effect.gen(function*() {
      const [older, newer] = [makeEmbeddings(), makeEmbeddings()]
      newer.model = "test/two"
      const user = yield* someone
      const memories = yield* process(newer)
      yield* memories.save(user, { content: "Of the new model @0", tags: [] })
      assert.deepStrictEqual(contentsOf(yield* memories.search(user, "@0", 5)), ["Of the new model @0"])
      yield* (yield* process(older)).save(user, { content: "Of the old model @30", tags: [] })
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(
        contentsOf(yield* memories.search(user, "@0", 5)),
        ["Of the new model @0", "Of the old model @30"]
      )
    }))

  it.scoped("of an earlier model are waited for by all who search meanwhile", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const user = yield* someone
      yield* (yield* process(embeddings)).save(user, { content: "Made by one @0", tags: [] })
      embeddings.model = "test/two"
      embeddings.embed = () => Effect.succeed(Float32Array.of(1, 0, 0))
      const memories = yield* process(embeddings)
      const found = yield* Effect.all(
        Array.from({ length: 5 }, () => memories.recall(user, "anything")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        found.map((recalled) => contentsOf(recalled.found)),
        Array.from({ length: 5 }, () => ["Made by one @0"])
      )
      assert.lengthOf(embeddings.asked.filter((text) => text.includes("Made by one")), 2)
    }))

  it.scoped("of an earlier model are embedded without the limit of the step whose search began it", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const user = yield* someone
      yield* (yield* process(embeddings)).save(user, { content: "Made by one @0", tags: [] })
      const limits = new Map<string, number>()
      embeddings.model = "test/two"
      embeddings.embed = (text) =>
        Effect.map(CallTimeLeft, (left) => {
          limits.set(text, left())
          return Float32Array.of(1, 0, 0)
        })
      const search = (yield* process(embeddings)).search(user, "anything", 5)
      yield* Effect.provideService(search, CallTimeLeft, () => 5_000)
      assert.deepStrictEqual([...limits], [["anything", 5_000], ["Made by one @0", Number.POSITIVE_INFINITY]])
    }))

  it.scoped("that a new model refuses are asked of it once, and keep no others from being found", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const user = yield* someone
      const before = yield* process(embeddings)
      yield* before.save(user, { content: "Refused @0", tags: [] })
      yield* before.save(user, { content: "Fine @40", tags: [] })
      embeddings.model = "test/two"
      embeddings.embed = (text) =>
        text.includes("Refused")
          ? Effect.fail(new ModelRejected({ provider: "test", status: 400, reason: "Too long" }))
          : Effect.succeed(Float32Array.of(1, 0, 0))
      assert.deepStrictEqual(contentsOf(yield* (yield* process(embeddings)).search(user, "any", 5)), ["Fine @40"])
      const asked = embeddings.asked.length
      assert.deepStrictEqual(contentsOf(yield* (yield* process(embeddings)).search(user, "any", 5)), ["Fine @40"])
      assert.deepStrictEqual(embeddings.asked.slice(asked), ["any"])
      assert.deepStrictEqual(yield* allOf(user), ["Fine @40", "Refused @0"])
    }))
})
