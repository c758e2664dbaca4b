import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { testVector } from "../Memory/embeddings.ts"
import { memoriesOf } from "../Memory/rows.ts"
import { alice, givenTask } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { contents, worker } from "./taskMemories.ts"

inWorld("Completed tasks", (test) => {
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
      return Effect.dieMessage("Broken")
    })
    assert.strictEqual((yield* Effect.exit(sweep))._tag, "Failure")
    assert.strictEqual(attempts, 5)
    assert.strictEqual((yield* Effect.exit(sweep))._tag, "Failure")
    assert.deepStrictEqual(yield* contents(), ["Task: Of Alice\nOutcome: "])
    isBroken = false
    yield* sweep
    yield* sweep
    for (const user of users) assert.deepStrictEqual(yield* contents(user), ["Task: Broken\nOutcome: "])
  })
})
