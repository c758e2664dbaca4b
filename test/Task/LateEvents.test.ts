import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { givenTask } from "../support/GivenTasks.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { bodyOf, collected, failed, readAgain, settled, statuses, watched, write, written } from "./allTaskEvents.ts"

inWorld("Events of all tasks", (test) => {
  test("of a transaction that commits late are neither lost nor repeated, nor overtaken by later ones", function*() {
    const sql = yield* SqlClient
    const id = yield* givenTask()
    yield* settled
    const begun = yield* Deferred.make<void>()
    const commit = yield* Deferred.make<void>()
    const late = yield* Effect.fork(sql.withTransaction(Effect.zipRight(
      sql`insert into steps (task_id, seq, body) values (${id}, 1, ${bodyOf(failed("late"))})`,
      Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(commit))
    )))
    yield* Deferred.await(begun)
    const { events, until } = yield* watched()
    yield* write(id, 2, failed("early"))
    yield* readAgain
    assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["position"])
    yield* Deferred.succeed(commit, undefined)
    yield* Fiber.join(late)
    const seen = yield* until((all) => statuses(all, id).length === 2)
    assert.deepStrictEqual(
      seen.flatMap((event) => event._tag === "status" ? [event.error] : []),
      ["late", "early"]
    )
    assert.strictEqual(new Set(seen.map((event) => event.id)).size, seen.length)
  })

  test("show no status after one that followed it, where two transactions waited for each other", function*() {
    const id = yield* givenTask()
    const { first } = (yield* written<{ first: string }>("select pg_current_xact_id()::text as first"))[0] ??
      { first: "" }
    yield* written("select pg_current_xact_id()")
    const { second } = (yield* written<{ second: string }>("select pg_current_xact_id()::text as second"))[0]
      ?? { second: "" }
    yield* write(id, 2, failed("cancelled"), first)
    yield* write(id, 1, { kind: "woken", epoch: 1, reason: "first", runner: "host:1" }, second)
    yield* settled
    const events = yield* collected(4, first)
    assert.deepStrictEqual(statuses(events, id), ["failed"])
    assert.strictEqual(events.filter(({ _tag }) => _tag === "log").length, 3)
  })
})
