import { ShardId, Sharding } from "@effect/cluster"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { Effect, identity, Layer, Queue, Schedule, Stream, TestClock } from "effect"
import { type JobState, ScheduledJobRepo } from "../../src/Runtime/Cluster/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"

/** Jobs of a process that holds every singleton, for as long as `hold` says, and what they save. */
const observed = (
  saved: Array<JobState>,
  save: ScheduledJobRepo["Type"]["save"] = () => Effect.void,
  hold: <E, R>(run: Effect.Effect<void, E, R>) => Effect.Effect<void, E, R> = identity
) =>
  ScheduledJobs.layer.pipe(
    Layer.provide([
      Layer.succeed(ScheduledJobRepo, {
        save: (states) => Effect.zipRight(Effect.sync(() => saved.push(...states)), save(states)),
        list: Effect.succeed([])
      }),
      Layer.mock(Sharding.Sharding, {
        registerSingleton: (_, run) => Effect.asVoid(Effect.forkScoped(hold(run))),
        getShardId: () => ShardId.make("default", 1),
        hasShardId: () => true
      })
    ])
  )

describe("Scheduled jobs", () => {
  it.scoped("run after each interval and are reported, whether they fail or not", () =>
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      let runs = 0
      const run = Effect.suspend(() => ++runs === 2 ? Effect.dieMessage("no disk") : Effect.void)
      const common = { name: "b", scope: "process" as const }
      yield* jobs.start({ ...common, schedule: Schedule.spaced("1 minute"), run })
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* jobs.report, [
        { ...common, last_run_at: null, next_run_at: "1970-01-01T00:01:00.000Z", last_error: null }
      ])
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(runs, 2)
      assert.deepStrictEqual(yield* jobs.report, [{
        ...common,
        last_run_at: "1970-01-01T00:02:00.000Z",
        next_run_at: "1970-01-01T00:03:00.000Z",
        last_error: "no disk"
      }])
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* jobs.report)[0], { last_run_at: "1970-01-01T00:03:00.000Z", last_error: null })
    }).pipe(Effect.provide(ScheduledJobs.layerMemory)))

  it.scoped("of the cluster run as soon as a process holds them, and pause longer after failures", () => {
    const saved: Array<JobState> = []
    return Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      yield* jobs.start({
        name: "a",
        scope: "cluster",
        schedule: Schedule.identity<number>().pipe(Schedule.addDelay((failures) => failures * 120_000)),
        run: Effect.fail("away")
      })
      yield* TestClock.adjust("5 minutes")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(saved.map(({ nextIn }) => nextIn), [120_000, 240_000, 360_000])
    }).pipe(Effect.provide(observed(saved)))
  })

  it.scoped("run at once when they are woken, also right after a run during which they were woken", () =>
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      const wakeUps = yield* Queue.unbounded<void>()
      let runs = 0
      yield* jobs.start({
        name: "a",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        wakeUps: Stream.fromQueue(wakeUps),
        run: Effect.delay(Effect.sync(() => ++runs), "1 second")
      })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(runs, 1)
      yield* Queue.offer(wakeUps, undefined)
      yield* TestClock.adjust("500 millis")
      yield* Queue.offer(wakeUps, undefined)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(runs, 3)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(runs, 4)
    }).pipe(Effect.provide(observed([]))))

  it.scoped("that run often save their state every twenty seconds, and at once when their error changes", () => {
    const saved: Array<JobState> = []
    return Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      let error: string | null = null
      const run = Effect.suspend(() => error === null ? Effect.void : Effect.dieMessage(error))
      yield* jobs.start({ name: "a", scope: "cluster", schedule: Schedule.spaced("1 second"), run })
      yield* TestClock.adjust("59500 millis")
      assert.strictEqual(saved.length, 3)
      error = "away"
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(saved.length, 4)
      assert.strictEqual(saved[3]?.error, "away")
      error = null
      yield* TestClock.adjust("1 second")
      assert.strictEqual(saved[4]?.error, null)
    }).pipe(Effect.provide(observed(saved)))
  })

  it.scoped("save the states of all that ran meanwhile by one statement", () => {
    const saved: Array<JobState> = []
    let statements = 0
    return Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      const schedule = Schedule.spaced("2 seconds")
      for (const name of ["a", "b", "c"]) {
        yield* jobs.start({ name, scope: "cluster", schedule, run: Effect.void })
      }
      yield* TestClock.adjust("1 second")
      statements = 0
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(statements, 3)
      assert.deepStrictEqual([...new Set(saved.slice(-3).map(({ name }) => name))].toSorted(), ["a", "b", "c"])
    }).pipe(Effect.provide(observed(saved, () => Effect.sync(() => statements += 1))))
  })

  it.scoped("save their first run at once, also when they come back from another process", () => {
    const saved: Array<JobState> = []
    const twice = observed(
      saved,
      undefined,
      (run) => Effect.ignore(Effect.timeout(run, "3 seconds")).pipe(Effect.repeat({ times: 1 }), Effect.asVoid)
    )
    return Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      yield* jobs.start({ name: "a", scope: "process", schedule: Schedule.spaced("1 second"), run: Effect.void })
      yield* jobs.start({ name: "b", scope: "cluster", schedule: Schedule.spaced("1 hour"), run: Effect.void })
      yield* TestClock.adjust("7 seconds")
      const runs = (job: string) => saved.filter(({ name }) => name === job).map(({ ranBefore }) => ranBefore)
      assert.deepStrictEqual([...new Set(runs("a"))], [null, 0])
      assert.deepStrictEqual(runs("b"), [0, 0])
    }).pipe(Effect.provide(twice))
  })

  it.scoped("continue while their state can't be saved", () =>
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      let runs = 0
      yield* jobs.start({
        name: "a",
        scope: "process",
        schedule: Schedule.spaced("1 minute"),
        run: Effect.sync(() => runs++)
      })
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual(runs, 3)
    }).pipe(Effect.provide(observed([], () => Effect.fail(new SqlError({ cause: "away", message: "away" }))))))
})
