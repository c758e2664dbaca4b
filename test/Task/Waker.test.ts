import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Clock, Effect, Option } from "effect"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import type { ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { bob, givenSubtask, givenTask, givenWaiting } from "../support/GivenTasks.ts"
import { asks, call, dies, says, scriptedModel } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { becomes, gated, wokenOf } from "./waker.ts"

/** How often the worker has scanned by itself. */
const scansSoFar = Effect.map(Wire, ({ sent }) => sent.filter(({ name }) => name === "claims_stale").length)

const users = (count: number) => Array.from({ length: count }, (_, index) => UserId.make(`user${index}`))

inWorld("Waker", (test) => {
  test("runs every task of every user once, on signals and as slots become free", function*() {
    const scripted = scriptedModel()
    const worker = yield* startWorker({ scripted, maxActive: 4, pollInterval: "1 hour" })
    const ids = yield* Effect.forEach(
      [...users(5), ...users(5), ...users(5)],
      (user, index) => givenTask(`Task ${index}`, user),
      { concurrency: "unbounded" }
    )
    for (const id of ids) {
      yield* becomes(id, "completed")
      assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "model"])
    }
    assert.strictEqual(scripted.requests.length, 15)
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
  })

  test("claims a new task with its insert, unless another one waits for a slot", function*() {
    const { query, sent } = yield* Wire
    const { calls, gate, turns } = yield* gated
    yield* startWorker({
      scripted: scriptedModel(says("Done."), ...turns(5)),
      maxActive: 4,
      pollInterval: "1 hour"
    })
    yield* becomes(yield* givenTask(), "completed")
    sent.length = 0
    const running = [yield* givenTask(), yield* givenTask(), yield* givenTask()]
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 3)
    const queued = yield* givenTask("Beyond the share of the user")
    yield* eventually(query("select from actors where queued_by is not null"), (rows) => rows.length === 1)
    const other = yield* givenTask("Behind a queue", bob)
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 4)
    yield* gate.open
    for (const id of [...running, queued, other]) {
      yield* becomes(id, "completed")
      assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "model"])
    }
    const inserts = sent.map(({ name }) => name).filter((name) => name.startsWith("tasks_insert"))
    assert.deepStrictEqual(inserts, [...running.map(() => "tasks_insert_claimed"), "tasks_insert", "tasks_insert"])
  })

  test("finds due tasks without a signal", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    yield* query(
      "update actors set wake_at = date_trunc('milliseconds', now()) + interval '1 hour' where task_id = $1",
      [id]
    )
    yield* startWorker({ scripted: scriptedModel() })
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [id])
    yield* becomes(id, "completed")
  })

  test("fills at most its slots, three quarters of them for one user", function*() {
    const { gate, calls, turns } = yield* gated
    const flood = yield* Effect.forEach(Array.from({ length: 12 }), () => givenTask("Flood"))
    const worker = yield* startWorker({ scripted: scriptedModel(...turns(20)), maxActive: 4 })
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 3)
    const others = [yield* givenTask("Other", bob), yield* givenTask("Other", bob)]
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 4)
    const scans = yield* scansSoFar
    yield* eventually(scansSoFar, (count) => count > scans + 2)
    assert.strictEqual(worker.waker.active(), 4)
    yield* gate.open
    for (const id of [...flood, ...others]) yield* becomes(id, "completed")
    assert.deepStrictEqual([calls.max, calls.begun], [4, 14])
  })

  test("interrupts a model call within two seconds of the cancel, and those of subtasks too", function*() {
    const tasks = yield* Tasks
    const signals = yield* TaskSignals
    const { calls, turns } = yield* gated
    const worker = yield* startWorker({ scripted: scriptedModel(...turns(3)), pollInterval: "1 hour" })
    const id = yield* givenTask()
    const child = yield* givenSubtask(id)
    signals.wake([(yield* rowOf(child)).shard])
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 2)
    const before = yield* Clock.currentTimeMillis
    const cancelled = yield* tasks.cancel(id, Option.none())
    assert.strictEqual(cancelled.status, "failed")
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 0)
    assert.isBelow((yield* Clock.currentTimeMillis) - before, 2_000)
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
    for (const task of [id, child]) {
      assert.deepStrictEqual((yield* stepsOf(task)).map(({ kind }) => kind), ["woken", "cancelled"])
    }
    assert.strictEqual(calls.begun, 2)
  })

  test("interrupts a run whose task another epoch holds, without a signal", function*() {
    const { query } = yield* Wire
    const { calls, turns } = yield* gated
    yield* startWorker({ scripted: scriptedModel(...turns(1)) })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 1)
    yield* query("update actors set epoch = epoch + 1, wake_at = null where task_id = $1", [id])
    yield* eventually(Effect.sync(() => calls.underWay), (count) => count === 0)
  })

  test("keeps nothing of a sleeping task in memory, and wakes it when it is due", function*() {
    const { query } = yield* Wire
    const scripted = scriptedModel(asks(call("c1", "sleep")), says("Slept."))
    const worker = yield* startWorker({ scripted, tools: [tool("sleep", "read", sleepFor(2_500))] })
    const id = yield* givenTask()
    yield* eventually(rowOf(id), ({ attempts, seq }) => seq === 3 && attempts === 0)
    yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
    const [early] = yield* query("select from actors where task_id = $1 and wake_at > now()", [id])
    assert.isDefined(early, "it sleeps")
    yield* becomes(id, "completed")
    assert.include(scripted.requests[1]?.messages.at(-1)?.content, "\nslept well\n")
    assert.deepStrictEqual(yield* wokenOf(id), ["first", "resume"])
  })

  test("resumes a waiting task when it is answered, and a failed one when it is retried", function*() {
    const tasks = yield* Tasks
    const waiting = yield* givenWaiting()
    const failed = yield* givenTask()
    yield* tasks.cancel(failed, Option.none())
    const scripted = scriptedModel(says("The second it is."), says("Once more."))
    yield* startWorker({ scripted })
    assert.strictEqual((yield* tasks.answer(waiting, "The second", Option.none())).question, null)
    yield* becomes(waiting, "completed")
    assert.strictEqual(scripted.requests[0]?.messages.at(-1)?.content, "The second")
    yield* tasks.retry(failed)
    yield* becomes(failed, "completed")
    assert.deepStrictEqual(yield* wokenOf(failed), ["retry"])
  })

  test("lets a task wait for the answer to its question, twice, and resumes it with each", function*() {
    const tasks = yield* Tasks
    const ask = (id: string, question: string) => asks(call(id, "ask_human", { question }))
    const scripted = scriptedModel(ask("q1", "Which?"), ask("q2", "Sure?"), says("Done."))
    const worker = yield* startWorker({ scripted, tools: [askHuman] })
    const id = yield* givenTask()
    for (const [call, question, answer] of [["q1", "Which?", "That"], ["q2", "Sure?", "Yes"]] as const) {
      const waiting = yield* eventually(tasks.find(id), (task) => task.question === question)
      assert.deepInclude(waiting, { status: "waiting_input", last_tool_call_id: call })
      yield* eventually(Effect.sync(worker.waker.active), (active) => active === 0)
      assert.deepInclude(yield* rowOf(id), { wake_at: null })
      yield* tasks.answer(id, answer, Option.none())
    }
    yield* becomes(id, "completed")
    assert.deepStrictEqual(
      (yield* tasks.messages(id)).flatMap((message) => message.role === "tool" ? [message.content] : []),
      ["That", "Yes"]
    )
    assert.deepStrictEqual(yield* wokenOf(id), ["first", "resume", "resume"])
  })

  test("retries a task that crashed", function*() {
    const scripted = scriptedModel(dies("bug"), says("Done."))
    yield* startWorker({ scripted })
    const id = yield* givenTask()
    yield* becomes(id, "completed")
    assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "crashed", "woken", "model"])
  })

  test("scans again after a scan failed", function*() {
    const line = yield* Wire
    let failures = 3
    line.before = ({ name }) =>
      name === "claims_take" && failures-- > 0
        ? new SqlError({ cause: { code: "57P01" }, message: "away" })
        : Effect.void
    const id = yield* givenTask()
    yield* startWorker({ scripted: scriptedModel() })
    yield* becomes(id, "completed")
    assert.isBelow(failures, 0)
  })
})

/** A call whose answer comes after so many milliseconds. */
const sleepFor = (millis: number): Effect.Effect<ToolOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ _tag: "Deferred", until: now + millis, content: "slept well" }))
