import { assert, layer } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Fiber, TestClock } from "effect"
import { v7 } from "uuid"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { makeEmbeddings } from "./embeddings.ts"
import { allOf, contentsOf, process, someone, store, unavailable } from "./memories.ts"
import { memoriesOf } from "./rows.ts"

const someTask = Effect.sync(() => TaskId.make(v7()))

layer(store)("Memories", (it) => {
  it.scoped("are found by what they are about, with their tags, times and score", () =>
    Effect.gen(function*() {
      const memories = yield* process()
      const user = yield* someone
      yield* memories.save(user, {
        content: "The invoice goes to accounting in March",
        tags: [" Billing", "billing"]
      })
      yield* memories.save(user, { content: "Anna likes her coffee black", tags: [] })
      const [first, ...others] = yield* memories.search(user, "Where does the invoice go?", 5)
      assert.strictEqual(first?.content, "The invoice goes to accounting in March")
      assert.deepStrictEqual(first?.tags, ["billing"])
      assert.match(first?.createdAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.isTrue((first?.score ?? 0) > 0.3 && (first?.score ?? 0) < 1)
      assert.isTrue(others.every(({ score }) => score < (first?.score ?? 0)))
    }))

  it.scoped("come best first, no more than asked for, and never those that have nothing in common", () =>
    Effect.gen(function*() {
      const memories = yield* process()
      const user = yield* someone
      for (const angle of [80, 20, 50, 95, 180]) yield* memories.save(user, { content: `@${angle}`, tags: [] })
      assert.deepStrictEqual(contentsOf(yield* memories.search(user, "@0", 50)), ["@20", "@50", "@80"])
      assert.deepStrictEqual(contentsOf(yield* memories.search(user, "@0", 2)), ["@20", "@50"])
      const [best] = yield* memories.search(user, "@0", 1)
      assert.closeTo(best?.score ?? 0, Math.cos(20 * Math.PI / 180), 1e-5)
    }))

  it.scoped("of one user are never seen by another", () =>
    Effect.gen(function*() {
      const memories = yield* process()
      const [anna, ben] = [yield* someone, yield* someone]
      yield* memories.save(anna, { content: "The password of Anna @10", tags: [] })
      yield* memories.save(ben, { content: "Of Ben @10", tags: [] })
      assert.deepStrictEqual(contentsOf(yield* memories.search(ben, "@10", 50)), ["Of Ben @10"])
      assert.deepStrictEqual(contentsOf((yield* memories.recall(ben, "@10")).found), ["Of Ben @10"])
      assert.deepStrictEqual(contentsOf(yield* memories.search(anna, "@10", 50)), ["The password of Anna @10"])
    }))

  it.scoped("that are alike are merged: the newer content, the tags of both, the older beginning", () =>
    Effect.gen(function*() {
      const memories = yield* process()
      const user = yield* someone
      const first = yield* memories.save(user, { content: "Old @0", tags: ["a", "b"] })
      // cos 13° = 0.974, cos 15° = 0.966
      const second = yield* memories.save(user, { content: "New @13", tags: ["c", "a"] })
      const third = yield* memories.save(user, { content: "Other @28", tags: [] })
      assert.deepStrictEqual([first.merged, second.merged, third.merged], [false, true, false])
      assert.strictEqual(second.id, first.id)
      const all = yield* memoriesOf(user)
      assert.strictEqual(all.length, 2)
      const merged = all.find(({ id }) => id === first.id)
      assert.deepStrictEqual([merged?.content, merged?.tags], ["New @13", ["c", "a", "b"]])
      assert.deepStrictEqual(contentsOf(yield* memories.search(user, "@13", 1)), ["New @13"])
    }))

  it.scoped("are refused when they are empty, too long or have too many tags", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const memories = yield* process(embeddings)
      const user = yield* someone
      const tags = Array.from({ length: 21 }, (_, number) => `tag${number}`)
      const wrong = [["  ", []], ["x".repeat(8_001), []], ["Fine", tags], ["Fine", ["x".repeat(65)]]] as const
      const reasons = yield* Effect.forEach(wrong, ([content, tags]) =>
        Effect.flip(memories.save(user, { content, tags })))
      assert.match(reasons[0]?.message ?? "", /empty/)
      assert.match(reasons[1]?.message ?? "", /8001 characters; at most 8000/)
      assert.match(reasons[2]?.message ?? "", /21 tags; at most 20/)
      assert.match(reasons[3]?.message ?? "", /more than 64 characters/)
      assert.match((yield* Effect.flip(memories.search(user, " ", 5))).message, /empty/)
      assert.match((yield* Effect.flip(memories.search(user, "x".repeat(8_001), 5))).message, /at most 8000/)
      assert.deepStrictEqual(embeddings.asked, [])
    }))

  it.scoped("beyond the limit push out what tells of old tasks, and are refused when nothing else is left", () =>
    Effect.gen(function*() {
      const memories = yield* process(makeEmbeddings(), { maxPerUser: 3 })
      const user = yield* someone
      for (const angle of [0, 20]) {
        yield* memories.remember(user, [{ taskId: yield* someTask, content: `Task @${angle}` }])
      }
      for (const angle of [40, 60]) yield* memories.save(user, { content: `Own @${angle}`, tags: [] })
      assert.deepStrictEqual((yield* allOf(user)).slice(0, 2), ["Own @40", "Own @60"])
      yield* memories.save(user, { content: "Own @80", tags: [] })
      assert.match(
        (yield* Effect.flip(memories.save(user, { content: "Own @100", tags: [] }))).message,
        /has 3 memories already/
      )
      yield* memories.remember(user, [{ taskId: yield* someTask, content: "Task @100" }])
      assert.isTrue((yield* memories.save(user, { content: "Changed @80", tags: [] })).merged)
      assert.deepStrictEqual(yield* allOf(user), ["Changed @80", "Own @40", "Own @60"])
    }))

  it.scoped("of finished tasks are kept once a task, whoever saves them and however often", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* process(), yield* process()]
      const user = yield* someone
      const [first, second, third] = [yield* someTask, yield* someTask, yield* someTask]
      const endings = [{ taskId: first, content: "First @0" }, { taskId: second, content: "Second @40" }]
      yield* Effect.all([one.remember(user, endings), other.remember(user, endings)], { concurrency: 2 })
      assert.deepStrictEqual(yield* allOf(user), ["First @0", "Second @40"])
      yield* one.remember(user, [{ taskId: first, content: "First again @90" }])
      yield* one.remember(user, [{ taskId: third, content: "Third, like the first @1" }])
      assert.deepStrictEqual(yield* allOf(user), ["Second @40", "Third, like the first @1"])
      assert.deepStrictEqual(
        yield* (yield* MemoryRepo).remembered([first, second, third]),
        new Set([first, second, third])
      )
    }))

  it.scoped("are recalled for a request: three at most, and only those above 0.3", () =>
    Effect.gen(function*() {
      const memories = yield* process()
      const user = yield* someone
      // cos 72° = 0.309, cos 73° = 0.292
      yield* memories.save(user, { content: "Just @73", tags: [] })
      assert.deepStrictEqual((yield* memories.recall(user, "@0")).found, [])
      yield* memories.save(user, { content: "Just @-72", tags: [] })
      assert.deepStrictEqual(contentsOf((yield* memories.recall(user, "@0")).found), ["Just @-72"])
      for (const angle of [15, 30, 45]) yield* memories.save(user, { content: `@${angle}`, tags: [] })
      assert.deepStrictEqual(contentsOf((yield* memories.recall(user, "@0")).found), ["@15", "@30", "@45"])
    }))

  it.scoped("of a task's end are known one second later, also to a process that has just found none", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* process(), yield* process()]
      const user = yield* someone
      for (const memories of [one, other]) assert.deepStrictEqual((yield* memories.recall(user, "@0")).found, [])
      yield* one.remember(user, [{ taskId: yield* someTask, content: "Done @10" }])
      assert.deepStrictEqual(contentsOf((yield* one.recall(user, "@0")).found), ["Done @10"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(contentsOf((yield* other.recall(user, "@0")).found), ["Done @10"])
    }))

  it.scoped("of somebody who has none are recalled and searched without asking a model", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const memories = yield* process(embeddings)
      const user = yield* someone
      assert.deepStrictEqual((yield* memories.recall(user, "Anything")).found, [])
      assert.deepStrictEqual(yield* memories.search(user, "Anything", 5), [])
      assert.deepStrictEqual(embeddings.asked, [])
    }))

  it.scoped("are left out of a task whose embedding fails or takes too long, and answered with an error otherwise", () =>
    Effect.gen(function*() {
      const embeddings = makeEmbeddings()
      const memories = yield* process(embeddings)
      const user = yield* someone
      yield* memories.save(user, { content: "Something @0", tags: [] })
      embeddings.embed = () => Effect.fail(unavailable)
      assert.deepStrictEqual(yield* memories.recall(user, "@0"), {
        found: [],
        leftOut: `Searching them failed: ${unavailable.reason}`
      })
      assert.strictEqual((yield* Effect.flip(memories.search(user, "@0", 5))).message, unavailable.reason)
      assert.strictEqual(
        (yield* Effect.flip(memories.save(user, { content: "@0", tags: [] }))).message,
        unavailable.reason
      )
      embeddings.embed = () => Effect.interrupt
      assert.deepStrictEqual((yield* memories.recall(user, "@0")).found, [])
      const asked = embeddings.asked.length
      embeddings.embed = () => Effect.never
      const waiting = yield* Effect.fork(memories.recall(user, "@0"))
      while (embeddings.asked.length === asked) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(waiting), {
        found: [],
        leftOut: "Searching them took longer than 3 seconds."
      })
    }))
})
