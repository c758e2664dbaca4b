import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import type { JobReport } from "../../src/Runtime/Cluster/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { Runners, WorkerHealth } from "../../src/Task/Read/Runners.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { inWorld, lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"

const own = "127.0.0.1:34431"
const other = "10.0.0.9:1"
const third = "10.0.0.9:2"

const runner = (isLive: boolean) => ({
  address: own,
  shards: 1,
  active_tasks: 0,
  queued_tasks: 0,
  last_seen_at: "",
  isLive
})
const job = (last_error: string | null): JobReport => ({
  name: "a",
  scope: "cluster",
  last_run_at: null,
  next_run_at: null,
  last_error
})

const statusOf = (
  given: { readonly live?: ReadonlyArray<boolean>; readonly wait?: number; readonly error?: string | null }
) =>
  Effect.flatMap(WorkerHealth, ({ report }) => report).pipe(
    Effect.map(({ status }) => status),
    Effect.provide(WorkerHealth.layer.pipe(Layer.provide([
      Layer.mock(Runners, {
        report: Effect.succeed({
          runners: (given.live ?? [true]).map(runner),
          pending_jobs: 1,
          oldest_pending: null,
          longestWaitSeconds: given.wait ?? 0,
          backlog_seconds: 0
        })
      }),
      Layer.mock(ScheduledJobs, { report: Effect.succeed([job(null), job(given.error ?? null)]) })
    ])))
  )

describe("The workers are", () => {
  it.effect("healthy, degraded or down by their heartbeats, their due tasks and their jobs", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf({ wait: 30 }), "healthy")
      assert.strictEqual(yield* statusOf({ wait: 31 }), "degraded")
      assert.strictEqual(yield* statusOf({ live: [true, false] }), "degraded")
      assert.strictEqual(yield* statusOf({ error: "no disk" }), "degraded")
      assert.strictEqual(yield* statusOf({ live: [] }), "down")
      assert.strictEqual(yield* statusOf({ live: [false], error: "no disk" }), "down")
    }))
})

const givenRunner = (address: string, secondsAgo: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    Effect.acquireRelease(
      query(
        `insert into cluster_runners (address, runner, last_heartbeat)
         values ($1, '{}', localtimestamp - make_interval(secs => $2))`,
        [address, secondsAgo]
      ),
      () => query("delete from cluster_runners where address = $1", [address])
    ))

const givenJob = (name: string, scope: string, process: string, overdue: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into scheduled_jobs (name, scope, process, next_run_at)
       values ($1, $2, $3, now() - make_interval(secs => $4))`,
      [name, scope, process, overdue]
    ))

inWorld("The health of the workers", (test) => {
  test("distinguishes late runners from live ones, and omits those that are gone", function*() {
    const { report } = yield* Runners
    yield* givenRunner(other, lockExpirationSeconds + 5)
    yield* givenRunner(third, 3 * lockExpirationSeconds + 5)
    const { runners } = yield* report
    assert.deepStrictEqual(runners.map(({ address, isLive }) => [address, isLive]), [[other, false], [own, true]])
  })

  test("counts the wait of due tasks from when they fell due or wrote their last step", function*() {
    const { report } = yield* Runners
    const { query } = yield* Wire
    assert.deepInclude(yield* report, { pending_jobs: 0, oldest_pending: null, longestWaitSeconds: 0 })
    const id = yield* givenTask()
    yield* query("update actors set wake_at = now() - interval '90 s', updated_at = now() - interval '1 hour'")
    const later = yield* givenTask()
    const waiting = yield* report
    assert.strictEqual(waiting.pending_jobs, 2)
    assert.strictEqual(waiting.oldest_pending?.task_id, id)
    assert.isAtLeast(waiting.longestWaitSeconds, 90)
    assert.isBelow(waiting.longestWaitSeconds, 600)
    yield* query("update actors set queued_by = $1 where task_id = $2", [own, later])
    assert.deepStrictEqual((yield* report).runners.map(({ queued_tasks }) => queued_tasks), [1])
    yield* query("delete from actors where task_id = $1", [later])
    yield* query("update actors set updated_at = now() - interval '40 s'")
    const stepped = (yield* report).longestWaitSeconds
    assert.isTrue(stepped >= 40 && stepped < 90, `${stepped}`)
    yield* claim(id)
    assert.deepInclude(yield* report, { pending_jobs: 0, longestWaitSeconds: 0 })
  })

  test("says how long the due tasks take at the pace of those that have ended", function*() {
    const { report } = yield* Runners
    const { query } = yield* Wire
    const seconds = Effect.map(report, ({ backlog_seconds }) => backlog_seconds)
    const ended = yield* givenTask()
    assert.isNull(yield* seconds, "none has ended")
    yield* query("update actors set wake_at = null, completed_at = now() - interval '1 hour' where task_id = $1", [
      ended
    ])
    assert.strictEqual(yield* seconds, 0)
    yield* givenTask()
    yield* givenTask()
    assert.isNull(yield* seconds, "none has ended in the last ten minutes")
    yield* query("update actors set completed_at = now() - interval '50 seconds' where task_id = $1", [ended])
    const taken = yield* seconds
    assert.isTrue(taken !== null && taken >= 100 && taken < 150, `${taken}`)
  })

  test("lists the jobs of all processes, but not of those that are gone", function*() {
    const jobs = yield* ScheduledJobs
    yield* givenRunner(other, 0)
    yield* givenRunner(third, lockExpirationSeconds + 5)
    yield* givenJob("skills", "process", other, 300)
    yield* givenJob("skills", "process", third, 0)
    yield* givenJob("skills", "process", "an API that runs", 5)
    yield* givenJob("skills", "process", "an API that was killed", 70)
    yield* givenJob("slow", "cluster", other, 300)
    yield* givenJob("moving", "cluster", third, 5)
    yield* givenJob("switched off", "cluster", third, 70)
    yield* jobs.start({ name: "skills", scope: "process", schedule: Schedule.spaced("1 hour"), run: Effect.void })
    const listed = yield* jobs.report
    assert.deepStrictEqual(listed.map(({ name, scope }) => `${name}: ${scope}`), [
      "moving: cluster",
      "skills: process",
      "skills: process",
      "skills: process",
      "slow: cluster"
    ])
  })

  test("keeps one row of a job of the cluster, whichever process runs it", function*() {
    const jobs = yield* ScheduledJobs
    const { query } = yield* Wire
    yield* givenRunner(other, 0)
    yield* givenJob("moved", "cluster", other, 5)
    const running = yield* Effect.makeLatch()
    yield* jobs.start({ name: "moved", scope: "cluster", schedule: Schedule.spaced("1 hour"), run: running.open })
    yield* running.await
    const rows = query<{ readonly process: string; readonly last_run_at: Date | null }>(
      "select * from scheduled_jobs"
    )
    const [row, ...more] = yield* eventually(rows, ([one]) => one?.process === own)
    assert.isNotNull(row?.last_run_at)
    assert.isEmpty(more)
  })
})
