import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ModelRejected, ModelUnavailable } from "../../src/Model/Model.ts"
import { testVector } from "../Memory/embeddings.ts"
import { memoriesOf, removeMemory } from "../Memory/rows.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, givenCompleted, givenSubtask, givenTask, takeStep } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { contents, worker } from "./taskMemories.ts"

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
    assert.deepStrictEqual(yield* memories.recall(alice, "Where is the best coffee?"), [])
    yield* Effect.forkScoped(remembering)
    yield* Effect.yieldNow()
    yield* givenCompleted("Find the best coffee", "It is in the shop at the corner.")
    yield* eventually(contents(), (all) => all.length === 1)
    const known = yield* memories.recall(alice, "Where is the best coffee?")
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

  test("are remembered by the next worker when the one that ran them was killed before it could", function*() {
    yield* givenCompleted("Count the sheep", "There are twelve.")
    const dying = yield* worker(() => Effect.dieMessage("Killed"))
    yield* Effect.exit(dying.sweep)
    assert.deepStrictEqual(yield* contents(), [])
    const { sweep } = yield* worker()
    yield* sweep
    assert.deepStrictEqual(yield* contents(), ["Task: Count the sheep\nOutcome: There are twelve."])
  })

  test("are remembered for their own users only, and forced ends as well", function*() {
    yield* takeStep(yield* givenTask("Of Bob", bob), { kind: "forced", reason: "Limit", output: "As far as I got" })
    yield* givenCompleted("Of Alice", "Done")
    const { sweep } = yield* worker()
    yield* sweep
    assert.deepStrictEqual(yield* contents(), ["Task: Of Alice\nOutcome: Done"])
    assert.deepStrictEqual(yield* contents(bob), ["Task: Of Bob\nOutcome: As far as I got"])
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
    const { sweep } = yield* worker((text) =>
      isAway
        ? Effect.fail(new ModelUnavailable({ provider: "test", reason: "Away" }))
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
})
