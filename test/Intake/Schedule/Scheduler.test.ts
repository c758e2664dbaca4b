import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import * as Scheduler from "../../../src/Intake/Schedule/Scheduler.ts"
import { ScheduleRuns } from "../../../src/Intake/Schedule/ScheduleRuns.ts"
import { ScheduledJobs } from "../../../src/Runtime/Cluster/ScheduledJobs.ts"
import { eventually } from "../../support/Eventually.ts"
import { Wire } from "../../support/TaskWorld.ts"
import { inSchedules, overdue, scheduleRequest } from "./schedules.ts"

const notified = Effect.flatMap(Wire, ({ query }) =>
  Effect.map(
    query<{ body: string }>("select body from notifications order by id"),
    (rows) => rows.map(({ body }) => body)
  ))

const startScheduler = (runs: ScheduleRuns["Type"]) =>
  Layer.build(Layer.provide(Scheduler.layer({ interval: Duration.hours(1) }), Layer.succeed(ScheduleRuns, runs)))

inSchedules("The scheduler", (test) => {
  test(
    "runs a schedule within a second or two of its time, whenever it is made, and is a job of the cluster",
    function*(schedules, runs) {
      const jobs = yield* ScheduledJobs
      const missed = yield* schedules.create(
        scheduleRequest({ at: "tomorrow" }, { kind: "reminder", message: "Missed" })
      )
      yield* overdue(missed.id)
      yield* startScheduler(runs)
      yield* eventually(notified, (bodies) => bodies.length === 1)
      const now = yield* DateTime.now
      const soon = DateTime.add(now, { seconds: 2 })
      yield* schedules.create(
        scheduleRequest({ at: DateTime.formatIso(soon) }, { kind: "reminder", message: "Soon" })
      )
      assert.deepStrictEqual(yield* notified, ["Missed"])
      yield* eventually(notified, (bodies) => bodies.includes("Soon"))
      const late = DateTime.distance(soon, yield* DateTime.now)
      assert.isTrue(late >= 0 && late < 2000, `${late} ms late`)
      const reports = yield* eventually(jobs.report, (all) => all.some(({ name }) => name === "scheduler"))
      assert.deepInclude(reports.find(({ name }) => name === "scheduler"), { scope: "cluster", last_error: null })
    }
  )

  test("deletes schedules that ended a month ago", function*(schedules, runs) {
    const { query } = yield* Wire
    const ended = Effect.gen(function*() {
      const { id, user_id } = yield* schedules.create(scheduleRequest({ every: "hourly" }))
      return yield* schedules.stop(id, user_id)
    })
    const [old, recent] = yield* Effect.all([ended, ended])
    yield* query("update schedules set ended_at = now() - interval '31 days' where id = $1", [old.id])
    yield* startScheduler(runs)
    yield* eventually(query("select id::text from schedules"), (rows) => rows.length === 1)
    yield* schedules.find(recent.id)
  })
})
