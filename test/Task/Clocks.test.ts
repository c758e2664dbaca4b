import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { databaseClock } from "../../src/Task/Actor/ActorRuntime.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const hour = 3_600_000

/** Puts the task to sleep for so long. */
const later = (millis: number) =>
  tool(
    "later",
    "read",
    Effect.map(Clock.currentTimeMillis, (now) => ({ _tag: "Deferred" as const, until: now + millis, content: "late" }))
  )

/** Actors of a runner whose clock is so far ahead of ours. */
const runnerAhead = (millis: number, ...turns: ReadonlyArray<Turn>) =>
  Effect.flatMap(Effect.clock, (clock) =>
    makeEntities({ scripted: scriptedModel(...turns), tools: [later(300)] }).pipe(
      Effect.withClock(databaseClock(clock, clock.unsafeCurrentTimeMillis() + millis))
    ))

inWorld("Runners whose clocks differ", (test) => {
  for (const [first, second] of [[hour, -hour], [-hour, hour]] as const) {
    test(`sleep and wake by the database's clock, the first ${first > 0 ? "ahead" : "behind"}`, function*() {
      const { query } = yield* Wire
      const putsToSleep = yield* runnerAhead(first, asks(call("c1", "later")))
      const wakes = yield* runnerAhead(second, says("Awake."))
      const id = yield* givenTask()
      assert.strictEqual(yield* putsToSleep.wake(yield* claim(id)), "settled")
      const { updated_at, wake_at } = yield* rowOf(id)
      assert.isAtMost((wake_at?.getTime() ?? Infinity) - updated_at.getTime(), 300)

      const due = query("select from actors where task_id = $1 and wake_at <= now()", [id])
      yield* eventually(due, ({ length }) => length === 1)
      assert.strictEqual(yield* wakes.wake(yield* claim(id)), "settled")
      assert.include(yield* rowOf(id), { status: "completed" })
      assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), [
        "woken",
        "model",
        "results",
        "woken",
        "results",
        "model"
      ])
    })
  }
})
