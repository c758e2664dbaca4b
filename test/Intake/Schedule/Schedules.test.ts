import { assert } from "@effect/vitest"
import { ScheduleId, UserId } from "@troupe/domain/Ids"
import { DateTime, Effect, Option } from "effect"
import { v7 } from "uuid"
import { previewOf } from "../../../src/Intake/Schedule/SchedulePlan.ts"
import { UserRepo } from "../../../src/People/User/UserRepo.ts"
import { Users } from "../../../src/People/User/Users.ts"
import { ensureRequestRole } from "../../../src/Runtime/Database/RequestRole.ts"
import { accounts } from "../../support/ChatAccounts.ts"
import { alice, bob } from "../../support/GivenTasks.ts"
import { as as asCaller } from "../../support/Seats.ts"
import { Wire } from "../../support/TaskWorld.ts"
import { all, reasonOf } from "./scheduleErrors.ts"
import { inSchedules, scheduleRequest } from "./schedules.ts"

inSchedules("Schedules", (test) => {
  test("recur in the time zone of their user, and show the next five runs", function*(schedules) {
    const users = yield* Users
    const repo = yield* UserRepo
    yield* users.ensureExists(alice)
    yield* repo.sync(alice, { timezone: "Asia/Kolkata" })
    const made = yield* schedules.create(scheduleRequest({ every: "every day at 9" }))
    assert.deepInclude(made, {
      kind: "task",
      cron: "0 9 * * *",
      at: null,
      timezone: "Asia/Kolkata",
      status: "active"
    })
    assert.deepInclude(made, { title: "Water the plants", user_id: alice, last_run_at: null, last_task_id: null })
    assert.strictEqual(made.next_runs.length, 5)
    assert.isTrue(made.next_runs.every((run) => run.endsWith("T03:30:00.000Z")))
    const zoned = yield* schedules.create(
      scheduleRequest({ every: "0 9 * * *" }, { timezone: "America/Lima", user_id: bob })
    )
    assert.isTrue(zoned.next_runs[0]?.endsWith("T14:00:00.000Z"))
    const once = yield* schedules.create(scheduleRequest({ at: "in 2 hours" }, { user_id: bob }))
    assert.strictEqual(once.timezone, "UTC")
    assert.deepStrictEqual(once.next_runs, [once.at ?? ""])
    assert.deepStrictEqual(yield* schedules.find(once.id), once)
    const list = (more: object) => Effect.map(schedules.list({ ...all, ...more }), (found) => found.map(({ id }) => id))
    assert.deepStrictEqual(yield* list({}), [once.id, zoned.id, made.id])
    assert.deepStrictEqual(yield* list({ user_id: alice }), [made.id])
    assert.deepStrictEqual(yield* list({ cursor: Option.some(zoned.id) }), [made.id])
    assert.deepStrictEqual(yield* list({ status: "paused" }), [])
  })

  test("can be previewed, with the same runs and the same refusals", function*(schedules) {
    const made = yield* schedules.create(
      scheduleRequest({ every: "every weekday at 9" }, { timezone: "Europe/Berlin" })
    )
    const preview = yield* previewOf({ every: "every weekday at 9", timezone: "Europe/Berlin" })
    assert.deepInclude(made, preview)
    const once = yield* previewOf({ at: "in 2 hours" })
    assert.deepInclude(once, { cron: null, every: null, timezone: "UTC" })
    assert.deepStrictEqual(once.next_runs, [once.at ?? ""])
    for (
      const [given, path] of [
        [{ every: "nonsense" }, "every"],
        [{ at: "nonsense" }, "at"],
        [{ every: "hourly", timezone: "Mars/Olympus" }, "timezone"],
        [{}, "at"],
        [{ at: "in 2 hours", every: "hourly" }, "every"]
      ] as const
    ) assert.strictEqual((yield* Effect.flip(previewOf(given))).path, path)
    assert.deepStrictEqual(yield* schedules.list({ ...all }), [made])
  }, { atOneMoment: true })

  test("are at most so many for a user, also if many are made at once", function*(schedules) {
    const made = yield* Effect.all(
      Array.from({ length: 6 }, () => Effect.either(schedules.create(scheduleRequest({ every: "hourly" })))),
      { concurrency: 6 }
    )
    assert.deepStrictEqual(made.map(({ _tag }) => _tag).toSorted(), [
      "Left",
      "Left",
      "Left",
      "Right",
      "Right",
      "Right"
    ])
    const [first] = yield* schedules.list(all)
    assert.include(
      yield* reasonOf(schedules.create(scheduleRequest({ every: "hourly" }))),
      "MAX_SCHEDULES_PER_USER"
    )
    yield* schedules.remove(first?.id ?? ScheduleId.make(v7()))
    yield* schedules.create(scheduleRequest({ every: "hourly" }))
  })

  test("pause and resume, and continue with the next run from then on", function*(schedules) {
    const { query } = yield* Wire
    const { id, next_runs } = yield* schedules.create(scheduleRequest({ every: "hourly" }))
    for (const _ of [1, 2]) {
      assert.deepInclude(yield* schedules.pause(id), { status: "paused", next_runs: [] })
    }
    for (const _ of [1, 2]) {
      assert.deepInclude(yield* schedules.resume(id), { status: "active", next_runs })
    }
    const once = yield* schedules.create(scheduleRequest({ at: "in 2 hours" }))
    yield* schedules.pause(once.id)
    assert.deepStrictEqual((yield* schedules.resume(once.id)).next_runs, [once.at ?? ""])
    yield* schedules.pause(once.id)
    yield* query("update schedules set at = now() - interval '1 hour' where id = $1", [once.id])
    assert.include(yield* reasonOf(schedules.resume(once.id)), "its time passed while it was paused")
    assert.strictEqual((yield* schedules.find(once.id)).status, "paused")
  }, { atOneMoment: true })

  test("are stopped by their user or an admin only, and then over", function*(schedules) {
    const users = yield* Users
    const { query } = yield* Wire
    const boss = UserId.make("boss")
    yield* users.ensureExists(boss)
    yield* query("update users set role = 'admin' where id = 'boss'")
    const { id } = yield* schedules.create(scheduleRequest({ every: "hourly" }, { kind: "reminder" }))
    assert.include(yield* reasonOf(schedules.stop(id, bob)), "Only its user")
    assert.strictEqual((yield* schedules.find(id)).status, "active")
    for (const user of [alice, boss]) {
      assert.deepInclude(yield* schedules.stop(id, user), { status: "done", next_runs: [] })
    }
    assert.include(yield* reasonOf(schedules.pause(id)), "has no further run: it has ended")
    assert.include(yield* reasonOf(schedules.resume(id)), "has no further run: it has ended")
  })
})

inSchedules("A recurring reminder", (test) => {
  test(
    "becomes a task for its user or an admin only, without a change of its plan, until it has ended",
    function*(schedules) {
      const users = yield* Users
      const { query } = yield* Wire
      const boss = UserId.make("boss")
      yield* users.ensureExists(boss)
      yield* query("update users set role = 'admin' where id = 'boss'")
      const made = yield* schedules.create(scheduleRequest({ every: "hourly" }, { kind: "reminder" }))
      assert.include(yield* reasonOf(schedules.makeTask(made.id, bob)), "Only its user")
      assert.deepStrictEqual(yield* schedules.find(made.id), made)
      for (const user of [alice, boss]) {
        assert.deepStrictEqual(yield* schedules.makeTask(made.id, user), { ...made, kind: "task" })
      }
      assert.isNotNull((yield* schedules.runNow(made.id)).last_task_id)
      yield* schedules.stop(made.id, alice)
      assert.include(yield* reasonOf(schedules.makeTask(made.id, alice)), "it has ended")
    }
  )
})

inSchedules("A signed-in member", (test) => {
  test("uses their own schedules only, and channels that they see; an admin uses all", function*(schedules) {
    yield* ensureRequestRole()
    const { query } = yield* Wire
    const users = yield* Users
    yield* Effect.forEach([alice, bob], users.ensureExists)
    const as = (id: UserId, role: "member" | "admin" = "member") => asCaller({ id, role })
    const { id } = yield* as(alice)(schedules.create(scheduleRequest({ every: "hourly" })))
    const { change, find, list, pause, remove, resume, runNow, stop } = schedules
    const uses = [find(id), change(id, {}), pause(id), resume(id), runNow(id), stop(id, bob), remove(id)]
    for (const refused of uses.map(reasonOf)) {
      assert.strictEqual(yield* as(bob)(refused), `There is no schedule ${id}.`)
    }
    assert.deepStrictEqual(yield* as(bob)(list(all)), [])
    assert.isNotNull((yield* as(alice)(runNow(id))).last_task_id)
    assert.strictEqual((yield* as(alice)(list(all))).length, 1)
    assert.strictEqual((yield* as(bob, "admin")(pause(id))).status, "paused")
    yield* query(
      `insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
           values ('C1', gen_random_uuid(), 'secret', '', '', true, true, true, 1)`
    )
    yield* query("insert into channel_members (channel_id, user_id) values ('C1', 'alice')")
    const inChannel = (userId: UserId) =>
      as(userId)(schedules.create(scheduleRequest({ every: "hourly" }, { user_id: userId, channel_id: "C1" })))
    assert.strictEqual((yield* inChannel(alice)).channel_id, "C1")
    assert.strictEqual((yield* Effect.flip(inChannel(bob)))._tag, "ChannelNotFound")
  })
})

inSchedules("A run of a schedule", (test) => {
  test(
    "now makes its task or its reminder, where it was asked for, and leaves the plan as it is",
    function*(schedules) {
      const { query } = yield* Wire
      const asked = { postedTo: "C1/17.1" }
      const place = JSON.stringify({ channel: "C1", thread_ts: "17.1", user: "U1" })
      const made = yield* schedules.create(scheduleRequest({ every: "daily" }, { ...asked, title: "Plants" }))
      yield* query(accounts({ alice: "U1" }))
      const ran = yield* schedules.runNow(made.id)
      assert.deepStrictEqual(ran.next_runs, made.next_runs)
      assert.isTrue(
        DateTime.distance(DateTime.unsafeMake(ran.last_run_at ?? 0), yield* DateTime.now) < 5_000
      )
      assert.deepStrictEqual(
        yield* query("select id::text, creator, title, description, source, reply_channel, reply_to from tasks"),
        [{
          id: ran.last_task_id,
          creator: alice,
          title: "Plants",
          description: "Water the plants",
          source: "schedule",
          reply_channel: "chat",
          reply_to: place
        }]
      )
      assert.deepStrictEqual(yield* query("select key from task_threads"), [{ key: "C1/17.1" }])
      const reminder = yield* schedules.create(
        scheduleRequest({ at: "tomorrow" }, { ...asked, kind: "reminder", message: "Call Ada\nabout the plants" })
      )
      yield* schedules.pause(reminder.id)
      assert.deepInclude(yield* schedules.runNow(reminder.id), { status: "paused", last_task_id: null })
      assert.deepStrictEqual(yield* query("select recipient from outbox"), [{ recipient: place }])
      assert.deepStrictEqual(yield* query("select user_id, task_id, kind, title, body from notifications"), [{
        user_id: alice,
        task_id: null,
        kind: "reminder",
        title: "Call Ada",
        body: "Call Ada\nabout the plants"
      }])
    }
  )
})
