import { assert } from "@effect/vitest"
import { DateTime } from "effect"
import { alice } from "../../support/GivenTasks.ts"
import { all, reasonOf } from "./scheduleErrors.ts"
import { inSchedules, scheduleRequest } from "./schedules.ts"

inSchedules("A changed schedule", (test) => {
  test("has the words of its recurrence, and takes what a change names", function*(schedules) {
    const made = yield* schedules.create(
      scheduleRequest({ every: "last friday of the month" }, { timezone: "Europe/Berlin" })
    )
    assert.deepInclude(made, { cron: "0 9 * * 5#L", every: "last friday of the month" })
    const changed = yield* schedules.change(made.id, { message: "Feed the cat", kind: "reminder" })
    assert.deepStrictEqual(changed, { ...made, message: "Feed the cat", title: "Feed the cat", kind: "reminder" })
    const moved = yield* schedules.change(made.id, { timezone: "America/Lima" })
    assert.deepInclude(moved, { cron: made.cron, every: made.every, timezone: "America/Lima" })
    assert.isTrue(moved.next_runs.every((run) => run.endsWith("T14:00:00.000Z")))
    const weekly = yield* schedules.change(made.id, { every: "every other week" })
    assert.match(weekly.cron ?? "", /^0 9 \* \* 1%2\+[01]$/)
    const [first, second] = weekly.next_runs.map((run) => DateTime.unsafeMake(run).epochMillis)
    assert.strictEqual((second ?? 0) - (first ?? 0), 14 * 24 * 3_600_000)
    const once = yield* schedules.change(made.id, { at: "in 2 hours" })
    assert.deepInclude(once, { cron: null, every: null, next_runs: [once.at ?? ""] })
  })

  test("is active again by a new time, if it had ended and there is room for it", function*(schedules) {
    const { id } = yield* schedules.create(scheduleRequest({ every: "hourly" }))
    yield* schedules.stop(id, alice)
    assert.strictEqual((yield* schedules.change(id, { title: "Later" })).status, "done")
    assert.deepInclude(yield* schedules.change(id, { every: "daily" }), { status: "active", title: "Later" })
    yield* schedules.pause(id)
    assert.deepInclude(yield* schedules.change(id, { every: "hourly" }), { status: "paused", next_runs: [] })
    assert.strictEqual((yield* schedules.resume(id)).next_runs.length, 5)
    yield* schedules.stop(id, alice)
    for (const _ of [1, 2, 3]) yield* schedules.create(scheduleRequest({ every: "hourly" }))
    assert.include(yield* reasonOf(schedules.change(id, { every: "daily" })), "MAX_SCHEDULES_PER_USER")
  })

  test("stays as it is, and a new one is refused, where its time, zone or channel can't be used", function*(schedules) {
    const made = yield* schedules.create(scheduleRequest({ every: "hourly" }))
    const reasons = [
      [{ at: "soon" }, "at: \"soon\" is not understood as a time. What works:"],
      [{ at: "2020-01-01T00:00:00Z" }, "is in the past"],
      [{ every: "45 minutes" }, "every: every 45 minutes can't be scheduled"],
      [{ every: "in the morning" }, "every: \"in the morning\" may be meant once: say how often"],
      [{ every: "0 0 31 2 *" }, "never occurs"],
      [{ every: "daily", timezone: "Mars/Olympus" }, "timezone: the name of an IANA time zone"],
      [{ every: "daily", channel_id: "CNOWHERE" }, "There is no channel CNOWHERE"]
    ] as const
    for (const [given, reason] of reasons) {
      for (const refused of [schedules.create(scheduleRequest(given)), schedules.change(made.id, given)]) {
        assert.include(yield* reasonOf(refused), reason)
      }
    }
    assert.deepStrictEqual(yield* schedules.list(all), [made])
  })
})
