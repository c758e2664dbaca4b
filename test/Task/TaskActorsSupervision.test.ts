import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Clock, Duration, Effect, Fiber } from "effect"
import { failureReason } from "../../src/Task/Row/ProcessDeaths.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenSubtask, givenTask, processRestarted } from "../support/GivenTasks.ts"
import { asks, call, dies, hanging, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { kindsOf, makeDue, rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const lastOf = (id: TaskId) => Effect.map(stepsOf(id), (steps) => steps.at(-1))

const look = (ran: Array<string>) => tool("look", "read", Effect.sync(() => (ran.push("look"), "nothing there")))

inWorld("TaskActors, supervising", (test) => {
  test("retries a crashed step with back-off, and fails the task when it crashed too often", function*() {
    const scripted = scriptedModel(
      asks(call("c1", "look")),
      ...Array.from({ length: 9 }, () => dies("the model has a bug"))
    )
    const entities = yield* makeEntities({ scripted, tools: [look([])] })
    const id = yield* givenTask()
    const reason = "an unexpected error occurred (see the worker's log)"
    for (const [attempt, delay] of [[1, 1_000], [2, 2_000], [3, 4_000]] as const) {
      const claimed = yield* claim(id)
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* entities.wake(claimed), "settled")
      const after = yield* Clock.currentTimeMillis
      const step = yield* lastOf(id)
      assert.deepInclude(step, { kind: "crashed", reason })
      const row = yield* rowOf(id)
      assert.deepInclude(row, { status: "running", attempts: attempt, error: null })
      assert.isAtLeast(row.wake_at?.getTime() ?? 0, before + delay)
      assert.isAtMost(row.wake_at?.getTime() ?? 0, after + delay + 1)
      yield* makeDue(id)
    }
    yield* entities.wake(yield* claim(id))
    const error =
      `The task crashed 4 times at the same step; the last time ${reason}. Fix the cause, then retry the task.`
    assert.deepStrictEqual(yield* lastOf(id), { kind: "failed", error } satisfies Step)
    assert.deepInclude(yield* rowOf(id), { status: "failed", error, wake_at: null })
    assert.strictEqual(scripted.requests.length, 5)
  })

  test("counts crashes from zero once a step succeeded", function*() {
    const crash = dies("bug")
    const scripted = scriptedModel(crash, crash, crash, asks(call("c1", "look")), crash, crash, crash, says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [look([])] })
    const id = yield* givenTask()
    for (let round = 0; round < 7; round++) {
      yield* makeDue(id)
      yield* entities.wake(yield* claim(id))
    }
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
  })

  test("puts a suspect back for a growing pause, and fails it after too many deaths of its process that it caused alone", function*() {
    const scripted = scriptedModel()
    const entities = yield* makeEntities({ scripted })
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const id = yield* givenTask()
    /** Claims it after so many deaths of its process, of which it caused all but two alone. */
    const afterDeaths = (deaths: number) =>
      Effect.gen(function*() {
        yield* makeDue(id)
        yield* claim(id)
        yield* query(
          "update actors set process_deaths = $1 - 1, lone_deaths = greatest(0, $1 - 3), claim_kind = 'alone'",
          [
            deaths
          ]
        )
        yield* processRestarted
        return yield* claim(id)
      })
    // About 5 and 135 seconds.
    for (const [deaths, seconds] of [[2, 5], [5, 135]] as const) {
      const suspect = yield* afterDeaths(deaths)
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* entities.wake(suspect), "settled")
      const after = yield* Clock.currentTimeMillis
      const row = yield* rowOf(id)
      assert.deepInclude(row, { status: "running", process_deaths: deaths, lone_deaths: deaths - 2 })
      assert.isAtLeast(row.wake_at?.getTime() ?? 0, before + seconds * 500 - 1)
      assert.isAtMost(row.wake_at?.getTime() ?? 0, after + seconds * 1_500 + 1)
      assert.deepInclude(yield* lastOf(id), { kind: "crashed", deaths })
      assert.strictEqual((yield* tasks.workerStatus(id)).next_wakeup_at, row.wake_at?.toISOString())
    }
    const last = yield* afterDeaths(6)
    const error = failureReason({ deaths: 6, loneDeaths: 4, claimKind: "recovered" }, last.now)
    assert.strictEqual(yield* entities.wake(last), "settled")
    assert.deepInclude(yield* rowOf(id), { status: "failed", error, wake_at: null, process_deaths: 0 })
    assert.isEmpty(scripted.requests)

    yield* tasks.retry(id)
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepInclude(yield* rowOf(id), { status: "completed", process_deaths: 0, lone_deaths: 0, queued_by: null })
  })

  test("counts crashes and process deaths separately, and resets both once a step succeeded", function*() {
    const crash = dies("bug")
    const scripted = scriptedModel(crash, crash, crash, asks(call("c1", "look")), says("Done."))
    const entities = yield* makeEntities({ scripted, tools: [look([])] })
    const id = yield* givenTask()
    for (let round = 1; round <= 3; round++) {
      yield* claim(id)
      yield* processRestarted
      const claimed = yield* claim(id)
      yield* entities.wake(claimed)
      if (claimed.deaths > 1) {
        assert.deepInclude(yield* lastOf(id), { kind: "crashed", deaths: claimed.deaths })
        yield* makeDue(id)
        yield* entities.wake(yield* claim(id))
      }
      assert.deepInclude(yield* lastOf(id), {
        kind: "crashed",
        reason: "an unexpected error occurred (see the worker's log)"
      })
      assert.deepInclude(yield* rowOf(id), { attempts: round, process_deaths: round })
      yield* makeDue(id)
    }
    const suspect = yield* claim(id)
    let progressed = 0
    assert.deepInclude(suspect, { attempts: 4, deaths: 3, claimKind: "alone" })
    yield* entities.wake(suspect, () => void (progressed += 1))
    assert.deepInclude(yield* rowOf(id), { status: "completed", process_deaths: 0, lone_deaths: 0 })
    assert.strictEqual(progressed, 3)
  })

  test("interrupts a step that exceeds its time limit, as a crash, and not one of a subtask that has a longer one", function*() {
    const { seen, turn } = hanging()
    const gate = yield* Effect.makeLatch(false)
    const slowTurn: Turn = (request) => Effect.zipRight(gate.await, says("Done.")(request))
    const scripted = scriptedModel(turn, slowTurn)
    const entities = yield* makeEntities({
      scripted,
      stepTimeout: { parent: Duration.seconds(1), subagent: Duration.minutes(10) }
    })
    const parent = yield* givenTask()
    const claimed = yield* claim(parent)
    const slow = yield* Effect.fork(entities.wake(claimed))
    yield* eventually(Effect.sync(() => scripted.requests.length), (count) => count === 1)
    const subtask = yield* givenSubtask(parent)
    const slowRun = yield* Effect.fork(entities.wake(yield* claim(subtask)))
    assert.strictEqual(yield* Fiber.join(slow), "settled")
    assert.strictEqual(seen.interrupted, 1)
    const reason = "the step exceeded its time limit of 1s (AGENT_STEP_TIMEOUT, SUBAGENT_STEP_TIMEOUT)"
    assert.deepInclude(yield* lastOf(parent), { kind: "crashed", reason })
    assert.deepInclude(yield* rowOf(parent), { status: "running", attempts: 1 })

    yield* gate.open
    assert.strictEqual(yield* Fiber.join(slowRun), "settled")
    assert.deepInclude(yield* rowOf(subtask), { status: "completed" })
  })

  test("counts a journal that can't be read as a crash, so that its task is not retried for ever", function*() {
    const { query } = yield* Wire
    const scripted = scriptedModel()
    const entities = yield* makeEntities({ scripted, maxCrashes: 1 })
    const id = yield* givenTask()
    yield* query("insert into steps (task_id, seq, body) values ($1, 1, '{\"kind\": \"unheard of\"}')", [id])
    yield* query("update actors set seq = 1 where task_id = $1", [id])
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    const [waits] = yield* query("select from actors where task_id = $1 and attempts = 1 and wake_at > now()", [id])
    assert.isDefined(waits)
    yield* makeDue(id)
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    const row = yield* rowOf(id)
    assert.deepInclude(row, { status: "failed", wake_at: null })
    assert.match(
      row.error ?? "",
      /^The task crashed 2 times at the same step; the last time an unexpected error occurred/
    )
    assert.isEmpty(scripted.requests)
  })

  test("releases a task while the database is unavailable, without counting a crash", function*() {
    const line = yield* Wire
    const entities = yield* makeEntities({ scripted: scriptedModel() })
    const id = yield* givenTask()
    yield* claim(id)
    const again = yield* claim(id)
    line.before = ({ name }) =>
      name === "journal_read" ? new SqlError({ cause: { code: "57P01" }, message: "away" }) : Effect.void
    assert.strictEqual(yield* entities.wake(again), "released")
    line.before = () => Effect.void
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "woken"])
  })

  test("counts a step that the database rejects as a crash", function*() {
    const line = yield* Wire
    const entities = yield* makeEntities({ scripted: scriptedModel(says("Odd."), says("Fine.")) })
    const id = yield* givenTask()
    const claimed = yield* claim(id)
    let refusals = 1
    line.before = ({ name }) =>
      name.startsWith("journal_append") && refusals-- > 0
        ? new SqlError({ cause: { code: "22P02" }, message: "refused" })
        : Effect.void
    assert.strictEqual(yield* entities.wake(claimed), "settled")
    assert.deepInclude(yield* lastOf(id), { kind: "crashed", reason: "the database refused the step" })
    yield* makeDue(id)
    yield* entities.wake(yield* claim(id))
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
  })
})
