import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope, TestClock } from "effect"
import { ScheduledJobs } from "../../src/Runtime/ScheduledJobs.ts"

describe("Scheduled jobs", () => {
  it.scoped("run after each interval and tell of it, whether they fail or not", () =>
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      let runs = 0
      yield* jobs.every(
        "b",
        "1 minute",
        Effect.suspend(() => ++runs === 2 ? Effect.dieMessage("no disk") : Effect.void)
      )
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* jobs.report, [
        { name: "b", last_run_at: null, next_run_at: "1970-01-01T00:01:00.000Z", last_error: null }
      ])
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(runs, 2)
      assert.deepStrictEqual(yield* jobs.report, [{
        name: "b",
        last_run_at: "1970-01-01T00:02:00.000Z",
        next_run_at: "1970-01-01T00:03:00.000Z",
        last_error: "no disk"
      }])
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* jobs.report)[0], { last_run_at: "1970-01-01T00:03:00.000Z", last_error: null })
    }).pipe(Effect.provide(ScheduledJobs.layer)))

  it.effect("are listed by name until their scope ends, with those that run elsewhere", () =>
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      const scope = yield* Scope.make()
      yield* jobs.every("b", "1 minute", Effect.void).pipe(Scope.extend(scope))
      yield* jobs.add(Effect.succeed({ name: "a", last_run_at: null, next_run_at: null, last_error: null })).pipe(
        Scope.extend(scope)
      )
      assert.deepStrictEqual((yield* jobs.report).map(({ name }) => name), ["a", "b"])
      yield* Scope.close(scope, Exit.void)
      assert.isEmpty(yield* jobs.report)
    }).pipe(Effect.provide(ScheduledJobs.layer)))
})
