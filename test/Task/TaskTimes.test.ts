import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { inStatus } from "@troupe/domain/TaskState"
import { Effect, Fiber, Option, type Scope } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { bob, claim, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire, type World } from "../support/TaskWorld.ts"

/** Carries the change out while another transaction holds the task's row, so that it begins long before it is made. */
const heldUp = <A, E>(
  id: TaskId,
  change: Effect.Effect<A, E, World>
): Effect.Effect<A, E, World | Scope.Scope> =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("begin")
    yield* query("select from actors where task_id = $1 for update", [id])
    const fiber = yield* Effect.forkScoped(change)
    const waiting = query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    )
    yield* eventually(waiting, ({ length }) => length > 0)
    yield* query("select pg_sleep(0.02)")
    yield* query("commit")
    return yield* Fiber.join(fiber)
  })

const complete = (id: TaskId) =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const claimed = yield* claim(id)
    const answer = { role: "assistant" as const, content: "Done.", tool_calls: [] }
    const step = { kind: "model", message: answer, tokens: [1, 1], millis: 1, end: "answered" } as const
    yield* heldUp(id, journal.append(stepAfter(claimed, step)))
  })

const timesOf = (id: TaskId) =>
  Effect.flatMap(Journal, (journal) => Effect.map(journal.read(id, 0), (steps) => steps.map(({ at }) => at)))

inWorld("The times of a task", (test) => {
  test("of its end equal those of its last log entry, however long the statement waited", function*() {
    const tasks = yield* Tasks
    const completed = yield* givenTask()
    yield* complete(completed)
    const cancelled = yield* givenTask()
    yield* heldUp(cancelled, tasks.cancel(cancelled, Option.none()))
    for (const id of [completed, cancelled]) {
      const { completed_at, logs, updated_at } = yield* tasks.find(id)
      assert.strictEqual(completed_at, logs.at(-1)?.timestamp)
      assert.strictEqual(updated_at, completed_at)
    }
  })

  test("never go back, whichever clock the previous step used", function*() {
    const tasks = yield* Tasks
    const journal = yield* Journal
    const { query } = yield* Wire
    const id = yield* givenTask()
    const isAsStepped = (what: string) =>
      Effect.gen(function*() {
        const times = yield* timesOf(id)
        assert.deepStrictEqual(times, times.toSorted(), what)
        assert.strictEqual((yield* rowOf(id)).updated_at.toISOString(), times.at(-1), what)
      })
    const [created] = yield* query<{ readonly updated_at: Date }>(
      "update actors set updated_at = now() + interval '1 minute' where task_id = $1 returning updated_at",
      [id]
    )
    const ahead = created?.updated_at.toISOString()

    const claimed = yield* claim(id)
    yield* isAsStepped("claim")
    assert.strictEqual((yield* tasks.find(id)).started_at, ahead)
    const question = { role: "assistant" as const, content: "", tool_calls: [call("ask1", "ask_human", {})] }
    yield* journal.append(stepAfter(claimed, { kind: "model", message: question, tokens: [1, 1], millis: 1 }, {
      state: { ...inStatus("task", "waiting_input"), question: "Which?", lastToolCallId: "ask1" },
      wake: { _tag: "Park" }
    }))
    yield* isAsStepped("append")
    yield* tasks.answer(id, "This one", Option.some(bob))
    yield* isAsStepped("answer")
    yield* tasks.cancel(id, Option.none())
    yield* isAsStepped("cancel")
    yield* tasks.retry(id)
    yield* isAsStepped("retry")
    assert.deepStrictEqual([...new Set(yield* timesOf(id))], [ahead])
  })
})
