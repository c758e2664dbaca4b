import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { heldBack } from "../../src/Runtime/Database/Cleaning.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const found = (limits: { readonly minutes: number; readonly walBytes: number }) =>
  Effect.flatMap(SqlClient, (sql) => heldBack(sql, limits))

inWorld("What keeps the database from removing old rows", (test) => {
  test("is an open transaction after its time, with how to end it, and none before", function*() {
    const { query } = yield* Wire
    yield* query("begin isolation level repeatable read")
    const [session] = yield* query<{ pid: number }>("select pg_backend_pid() as pid")
    assert.deepStrictEqual(yield* found({ minutes: 30, walBytes: Infinity }), [])
    const [one] = (yield* found({ minutes: 0, walBytes: Infinity })).filter(({ fix }) =>
      fix.includes(`pg_terminate_backend(${session?.pid})`)
    )
    assert.match(
      one?.problem ?? "",
      /^An open transaction \(process \d+ of \w+, since \d{4}-\d\d-\d\d \d\d:\d\d UTC\) keeps/
    )
    yield* query("rollback")
  })
})
