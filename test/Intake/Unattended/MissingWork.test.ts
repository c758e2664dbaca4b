import { assert } from "@effect/vitest"
import { Clock } from "effect"
import { v7 } from "uuid"
import { inWorld } from "../../support/TaskWorld.ts"
import { givenSchedule, watching } from "./unattended.ts"

inWorld("Unattended work", (test) => {
  test("whose run is missing is late, and the runs that are missing are counted", function*() {
    const { list, process, told } = yield* watching
    yield* givenSchedule({ nextRun: "-21 minutes" })
    yield* (yield* process).look
    const [found] = yield* list
    assert.strictEqual(found?.health.state, "late")
    assert.isAtLeast(found?.health.missed ?? 0, 4)
    assert.deepStrictEqual(yield* told, ["carol: Schedule \"Daily report\" is late"])
  })

  test("that is paused or deleted is not watched any more, without an all-clear", function*() {
    const { process, query, told } = yield* watching
    const schedule = yield* givenSchedule({ nextRun: "-1 hour" })
    const { look } = yield* process
    yield* look
    yield* query("update schedules set status = 'paused', next_run_at = null where id = $1", [schedule])
    yield* look
    assert.lengthOf(yield* told, 1)
    assert.deepStrictEqual(yield* query("select 1 from unattended where kind = 'schedule'"), [])
  })

  test("of a type of webhooks that becomes silent, or a tool server that fails, alarms owner and admins", function*() {
    const { list, process, query, state, told } = yield* watching
    const { look } = yield* process
    for (const hours of [90, 89, 80, 71]) {
      yield* query(
        `insert into inbound_messages (id, source, type, headers, url, received_at)
         values ($1, 'webhook', 'orders', '{}', '', now() - $2 * interval '1 hour')`,
        [v7({ msecs: (yield* Clock.currentTimeMillis) - hours * 3_600_000 }), hours]
      )
    }
    yield* look
    assert.deepStrictEqual(yield* told, ["olga: Webhook type orders is silent"])
    state.status = "failed"
    yield* look
    yield* look
    assert.lengthOf(yield* told, 1)
    yield* look
    yield* look
    assert.deepStrictEqual((yield* told)[1], "olga: Tool server files is failing")
    assert.deepStrictEqual(
      (yield* list).map(({ health, id }) => `${id} ${health.state}`),
      ["orders ok", "files ok"],
      "the lists of the doubles have no health"
    )
    state.status = "connected"
    yield* look
    assert.deepStrictEqual((yield* told)[2], "olga: Tool server files is ok again")
    yield* query(
      "insert into inbound_messages (id, source, type, headers, url) values ($1, 'webhook', 'orders', '{}', '')",
      [v7()]
    )
    yield* look
    assert.deepStrictEqual((yield* told)[3], "olga: Webhook type orders is ok again")
  })
})
