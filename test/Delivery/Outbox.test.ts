import { SqlClient } from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { newOutboxId } from "../../src/Delivery/Outbox.ts"
import { givenMail, outboxRows } from "../support/Deliveries.ts"
import { inWorld } from "../support/TaskWorld.ts"

it.effect("The ids of messages are in the order in which they were made, also within a millisecond", () =>
  Effect.gen(function*() {
    const ids = yield* Effect.replicateEffect(newOutboxId, 1_000)
    assert.deepStrictEqual(ids, ids.toSorted())
  }))

inWorld("The outbox", (test) => {
  test("sends nothing of a transaction that is rolled back", function*() {
    const sql = yield* SqlClient
    yield* Effect.flip(sql.withTransaction(Effect.zipRight(givenMail("ada@x.org", "1"), Effect.fail("no"))))
    assert.deepStrictEqual(yield* outboxRows, [])
  })
})
