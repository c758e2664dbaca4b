import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import * as Scheduler from "../../src/Intake/Scheduler.ts"
import { ScheduleRepo } from "../../src/Intake/ScheduleRepo.ts"
import { ScheduleRuns } from "../../src/Intake/ScheduleRuns.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { eventually } from "../support/Eventually.ts"
import { Wire } from "../support/TaskWorld.ts"
import { inSchedules, overdue, scheduleRequest } from "./schedules.ts"

const notified = Effect.flatMap(Wire, ({ query }) =>
  Effect.map(
    query<{ body: string }>("select body from notifications order by id"),
    (rows) => rows.map(({ body }) => body)
  ))

inSchedules("The scheduler", (test) => {
  test(
    "runs a schedule within a second or two of its time, whenever it is made, and is a job of the cluster",
    function*(schedules, runs) {
      const jobs = yield* ScheduledJobs
      const repo = yield* ScheduleRepo
      const missed = yield* schedules.create(
        scheduleRequest({ at: "tomorrow" }, { kind: "reminder", message: "Missed" })
      )
      yield* overdue(missed.id)
      yield* Layer.build(
        Scheduler.layer({ interval: Duration.hours(1) }).pipe(
          Layer.provide([Layer.succeed(ScheduleRuns, runs), Layer.succeed(ScheduleRepo, repo)])
        )
      )
      yield* eventually(notified, (bodies) => bodies.length === 1)
      const now = yield* DateTime.now
      const soon = DateTime.add(now, { seconds: 3 })
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

  test("deletes schedules that ended a month ago, a thousand at a time", function*(schedules, runs) {
    const { query } = yield* Wire
    const repo = yield* ScheduleRepo
    yield* query(
      `insert into schedules (id, user_id, kind, message, cron, timezone, status, ended_at)
select gen_random_uuid(), 'alice', 'task', 'Old', '0 0 1 1 *', 'UTC', 'done', now() - interval '31 days' from generate_series(1, 1500)`
    )
    const recent = yield* schedules.create(scheduleRequest({ every: "hourly" }))
    yield* schedules.stop(recent.id, recent.user_id)
    const removed: Array<number> = []
    const counting = ScheduleRepo.of({
      ...repo,
      deleteEnded: (before, limit) => Effect.tap(repo.deleteEnded(before, limit), (count) => removed.push(count))
    })
    yield* Layer.build(
      Scheduler.layer({ interval: Duration.hours(1) }).pipe(
        Layer.provide([Layer.succeed(ScheduleRuns, runs), Layer.succeed(ScheduleRepo, counting)])
      )
    )
    yield* eventually(
      query("select from schedules where message = 'Old'"),
      (rows) => rows.length === 0
    )
    yield* eventually(Effect.sync(() => removed), (counts) => counts.length === 2)
    assert.deepStrictEqual(removed, [1000, 500])
    yield* schedules.find(recent.id)
  })
})
