import { assert } from "@effect/vitest"
import type { ScheduleId } from "@troupe/domain/Ids"
import { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { v7 } from "uuid"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { givenSchedule, watching } from "./unattended.ts"

/** A task of the schedule, or of webhooks of a type, that has ended: with its result, or failed. */
const ended = (
  of: { readonly schedule?: ScheduleId; readonly type?: string },
  result: string | null,
  endedBy: string | null = null
) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const id = TaskId.make(v7())
    yield* query(
      `insert into tasks (id, created_at, creator, description, task_type, source, schedule_id, webhook_type)
       values ($1, now(), 'carol', 'Report', 'task', $2, $3, $4)`,
      [id, of.type === undefined ? "schedule" : "webhook", of.schedule ?? null, of.type ?? null]
    )
    yield* query(
      `insert into actors (task_id, shard, creator, updated_at, status, seq, completed_at, error, ended_by)
       values ($1, 1, 'carol', now(), $2, 1, now(), $3, $4)`,
      [id, result === null ? "failed" : "completed", result === null ? "The provider failed." : null, endedBy]
    )
    const step: Step = {
      kind: "model",
      message: { role: "assistant", content: result ?? "", tool_calls: [] },
      tokens: [1, 1],
      millis: 1,
      end: "answered"
    }
    if (result !== null) {
      yield* query("insert into steps (task_id, seq, body) values ($1, 1, $2)", [id, JSON.stringify(step)])
    }
  })

inWorld("Unattended work", (test) => {
  test("of a tool server at which each person signs in is ok again once it is reached", function*() {
    const { process, state, told } = yield* watching
    const { look } = yield* process
    state.perUser = true
    for (const status of ["needs_sign_in", "failed", "failed", "failed", "needs_sign_in"] as const) {
      state.status = status
      yield* look
    }
    assert.deepStrictEqual(yield* told, ["olga: Tool server files is failing", "olga: Tool server files is ok again"])
  })

  test("that fails three times in a row alarms its owner once, and is reported once when it works again", function*() {
    const { list, process, told } = yield* watching
    const schedule = yield* givenSchedule()
    const { look } = yield* process
    for (const _ of [1, 2]) yield* ended({ schedule }, null)
    yield* look
    assert.deepStrictEqual(yield* told, [])
    yield* ended({ schedule }, null)
    yield* look
    yield* ended({ schedule }, null)
    yield* look
    assert.deepStrictEqual(yield* told, ["carol: Schedule \"Daily report\" is failing"])
    const [found] = yield* list
    assert.deepInclude(found, { kind: "schedule", id: schedule, name: "Daily report" })
    assert.deepInclude(found?.health, { state: "failing", failures_in_a_row: 4, last_error: "The provider failed." })
    yield* ended({ schedule }, "Fine")
    yield* look
    yield* look
    assert.deepStrictEqual((yield* told)[1], "carol: Schedule \"Daily report\" is ok again")
    assert.lengthOf(yield* told, 2)
  })

  test("is reported once by several processes, and not again after a restart", function*() {
    const { process, told } = yield* watching
    const schedule = yield* givenSchedule()
    for (const _ of [1, 2, 3]) yield* ended({ schedule }, null)
    const [one, other] = [yield* process, yield* process]
    yield* Effect.all([one.look, other.look, one.look], { concurrency: "unbounded" })
    yield* (yield* process).look
    assert.lengthOf(yield* told, 1)
  })

  test("whose tasks a person cancelled does not fail", function*() {
    const { process, told } = yield* watching
    const schedule = yield* givenSchedule()
    for (const _ of [1, 2, 3]) yield* ended({ schedule }, null, "cancelled")
    yield* (yield* process).look
    assert.deepStrictEqual(yield* told, [])
  })

  test("that expects output fails with empty and with unchanged results", function*() {
    const { list, process, told } = yield* watching
    const schedule = yield* givenSchedule({ expects: "output" })
    const { look } = yield* process
    const state = Effect.map(list, ([found]) => `${found?.health.state} ${found?.health.failures_in_a_row}`)
    for (const result of ["Three new mails", " Three new mails\n", ""]) {
      yield* ended({ schedule }, result)
    }
    yield* look
    assert.strictEqual(yield* state, "ok 2")
    yield* ended({ schedule }, "Three new mails")
    yield* look
    assert.strictEqual(yield* state, "failing 3")
    yield* ended({ schedule }, "Four new mails")
    yield* look
    assert.strictEqual(yield* state, "ok 0")
    assert.lengthOf(yield* told, 2)
  })
})
