import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { Memories } from "../../src/Memory/Memories.ts"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { type ModelError, ModelRejected, ModelUnavailable } from "../../src/Model/Model.ts"
import { makeRemembering, makeSweep } from "../../src/Task/Read/TaskMemories.ts"
import { makeEmbeddings, testVector } from "../Memory/embeddings.ts"
import { memoriesOf, removeMemory } from "../Memory/rows.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, givenCompleted, givenSubtask, givenTask, takeStep } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

/** A worker's memory from its start: it has looked at nothing yet. */
const worker = (
  embed: (text: string) => Effect.Effect<Float32Array, ModelError> = (text) => Effect.succeed(testVector(text))
) =>
  Effect.gen(function*() {
    const embeddings = makeEmbeddings()
    embeddings.embed = embed
    const context = yield* Layer.build(Layer.fresh(
      Memories.layer({ maxPerUser: 100 }).pipe(
        Layer.provide(MemoryIndex.layerScan({ cacheBytes: 1_000_000 })),
        Layer.provide([MemoryRepo.layer, embeddings.layer])
      )
    ))
    const sweep = yield* Effect.provide(makeSweep, context)
    const remembering = yield* Effect.provide(makeRemembering, context)
    return { memories: Context.get(context, Memories), remembering, sweep }
  })

const contents = (user = alice) => Effect.map(memoriesOf(user), (all) => all.map(({ content }) => content).toSorted())

inWorld("Completed tasks", (test) => {
  test("are remembered once, with their request and result", function*() {
    yield* givenCompleted("Find the best coffee", "It is in the shop at the corner.")
    const { sweep } = yield* worker()
    yield* sweep
    const remembered = ["Task: Find the best coffee\nOutcome: It is in the shop at the corner."]
    assert.deepStrictEqual(yield* contents(), remembered)
    const [memory] = yield* memoriesOf(alice)
    yield* removeMemory(alice, memory?.id ?? assert.fail())
    yield* sweep
    yield* (yield* worker()).sweep
    assert.deepStrictEqual(yield* contents(), [])
  })

  test("are remembered by the worker that ran them at once, and known to the user's next task there", function*() {
    const { memories, remembering } = yield* worker()
    assert.deepStrictEqual((yield* memories.recall(alice, "Where is the best coffee?")).found, [])
    yield* Effect.forkScoped(remembering)
    yield* Effect.yieldNow()
    yield* givenCompleted("Find the best coffee", "It is in the shop at the corner.")
    yield* eventually(contents(), (all) => all.length === 1)
    const { found: known } = yield* memories.recall(alice, "Where is the best coffee?")
    assert.match(known[0]?.content ?? "", /shop at the corner/)
  })

  test("are left to the sweep when they can't be remembered at once, without delay of their completion", function*() {
    let isAway = true
    const { remembering, sweep } = yield* worker((text) =>
      isAway
        ? Effect.fail(new ModelUnavailable({ provider: "test", reason: "Away" }))
        : Effect.succeed(testVector(text))
    )
    yield* Effect.forkScoped(remembering)
    yield* Effect.yieldNow()
    yield* givenCompleted("Number one @0", "Done")
    yield* givenCompleted("Number two @90", "Done")
    isAway = false
    yield* sweep
    assert.strictEqual((yield* contents()).length, 2)
  })

  test("are remembered for their own users only, and forced ends as well", function*() {
    yield* takeStep(yield* givenTask("Of Bob", bob), { kind: "forced", reason: "Limit", output: "As far as I got" })
    yield* givenCompleted("Of Alice", "Done")
    const { sweep } = yield* worker()
    yield* sweep
    assert.deepStrictEqual(yield* contents(), ["Task: Of Alice\nOutcome: Done"])
    assert.deepStrictEqual(yield* contents(bob), [
      "Task: Of Bob\nOutcome: Stopped at its limit; so far:\n\nAs far as I got"
    ])
  })

  test("are not remembered if they failed, are not finished, are subtasks, of an unknown sender, or only have the service's own report", function*() {
    const { query } = yield* Wire
    const report = { kind: "forced", reason: "Limit", output: "The report", reported: true } as const
    yield* takeStep(yield* givenTask("Says nothing"), report)
    yield* takeStep(yield* givenTask("Fails"), { kind: "failed", error: "Broken" })
    const strange = yield* givenCompleted("Asked by a stranger", "Done")
    yield* query("update tasks set tool_access = 'read' where id = $1", [strange])
    const parent = yield* givenTask("Runs")
    const part = yield* givenSubtask(parent, "completed")
    yield* query("update actors set completed_at = now(), wake_at = null, seq = 1 where task_id = $1", [part])
    const end = { kind: "forced", reason: "Limit", output: "A part of it" }
    yield* query("insert into steps (task_id, seq, body) values ($1, 1, $2)", [part, JSON.stringify(end)])
    const { sweep } = yield* worker()
    yield* sweep
    assert.deepStrictEqual(yield* contents(), [])
  })

  test("wait for an unavailable embedding model, and are skipped when it refuses their text", function*() {
    for (const number of [1, 2, 3]) yield* givenCompleted(`Number ${number} @${number * 30}`, "Done")
    let isAway = true
    let calls = 0
    const { sweep } = yield* worker((text) =>
      isAway
        ? Effect.zipRight(
          Effect.sync(() => calls++),
          Effect.fail(new ModelUnavailable({ provider: "test", reason: "Away" }))
        )
        : text.includes("Number 2")
        ? Effect.fail(new ModelRejected({ provider: "test", status: 400, reason: "No" }))
        : Effect.succeed(testVector(text))
    )
    assert.strictEqual((yield* Effect.exit(sweep))._tag, "Failure")
    assert.deepStrictEqual(yield* contents(), [])
    isAway = false
    yield* sweep
    assert.strictEqual((yield* contents()).length, 2)
    yield* (yield* worker()).sweep
    assert.strictEqual((yield* contents()).length, 2)
  })

  test("are all found, however many completed since the last sweep", function*() {
    const { query } = yield* Wire
    const { sweep } = yield* worker()
    yield* sweep
    const ids = yield* Effect.forEach(Array.from({ length: 130 }), () => givenTask("Same"))
    yield* query("update actors set completed_at = now(), status = 'completed', wake_at = null, seq = 1")
    yield* query("insert into steps (task_id, seq, body) select task_id, 1, '{\"kind\":\"retried\"}' from actors")
    yield* sweep
    const [{ count } = { count: 0 }] = yield* query<{ count: number }>(
      "select count(*)::integer from remembered_tasks"
    )
    assert.strictEqual(count, ids.length)
    assert.strictEqual((yield* memoriesOf(alice)).length, 1)
  })

  test("that become visible late are found, even if the sweep had read full pages before them", function*() {
    const { query } = yield* Wire
    const end = (ago: string) =>
      query(
        `with ended as (
            update actors set completed_at = now() - $1::interval, status = 'completed', wake_at = null, seq = 1
            where completed_at is null returning task_id
          ) insert into steps (task_id, seq, body) select task_id, 1, '{"kind":"retried"}' from ended`,
        [ago]
      )
    const { sweep } = yield* worker()
    yield* Effect.forEach(Array.from({ length: 64 }), () => givenTask("Same"))
    yield* end("0 seconds")
    yield* sweep
    yield* givenTask("Late")
    yield* end("10 seconds")
    yield* sweep
    assert.deepStrictEqual(yield* contents(), ["Task: Late\nOutcome: ", "Task: Same\nOutcome: "])
  })

  test("of a user for whom it fails delay no other user, and are remembered once it succeeds", function*() {
    const { query } = yield* Wire
    const users = Array.from({ length: 6 }, (_, number) => UserId.make(`user-${number}`))
    for (const user of users) yield* givenTask("Broken", user)
    yield* givenTask("Of Alice", alice)
    yield* query(
      `update actors set status = 'completed', wake_at = null, seq = 1,
          completed_at = now() - case creator when $1 then interval '1 minute' else interval '2 minutes' end`,
      [alice]
    )
    yield* query("insert into steps (task_id, seq, body) select task_id, 1, '{\"kind\":\"retried\"}' from actors")
    let isBroken = true
    let attempts = 0
    const { sweep } = yield* worker((text) => {
      if (!isBroken || !text.includes("Broken")) return Effect.succeed(testVector(text))
      attempts += 1
      return attempts % 2 === 0
        ? Effect.dieMessage("Broken")
        : Effect.fail(new ModelUnavailable({ provider: "test", reason: "The text is too large" }))
    })
    assert.strictEqual((yield* Effect.exit(sweep))._tag, "Failure")
    assert.strictEqual(attempts, users.length)
    assert.deepStrictEqual(yield* contents(), ["Task: Of Alice\nOutcome: "])
    isBroken = false
    yield* sweep
    for (const user of users) assert.deepStrictEqual(yield* contents(user), ["Task: Broken\nOutcome: "])
  })
})
