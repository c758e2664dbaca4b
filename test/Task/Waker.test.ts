import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { bob, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { becomes, rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { gated, wokenOf } from "./waking.ts"

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
    const { query } = yield* Wire
    const { calls, gate, turns } = yield* gated
    yield* startWorker({
      scripted: scriptedModel(says("Done."), ...turns(5)),
      maxActive: 4,
      pollInterval: "1 hour"
    })
    yield* becomes(yield* givenTask(), "completed")
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
    const kinds = yield* Effect.forEach(
      [...running, queued, other],
      (id) => Effect.map(rowOf(id), (row) => row.claim_kind)
    )
    assert.deepStrictEqual(kinds, ["inserted", "inserted", "inserted", null, null])
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

  test("goes on while the start of a newer version adds columns, tables and indexes", function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const look = tool("look", "read", Effect.succeed("nothing"))
    const scripted = scriptedModel(
      ...Array.from(
        { length: 40 },
        (_, turn) =>
          turn % 2 === 0 ? asks(call(`c${turn}`, "look")) : asks(call(`q${turn}`, "ask_human", { question: "Which?" }))
      )
    )
    yield* startWorker({ scripted, tools: [look, askHuman], maxActive: 1 })
    const works = Effect.gen(function*() {
      const id = yield* givenTask()
      yield* becomes(id, "waiting_input")
      yield* tasks.answer(id, "That", Option.none())
      yield* eventually(stepsOf(id), (steps) => steps.some(({ kind }) => kind === "answered"))
      yield* tasks.cancel(id, Option.none())
      assert.strictEqual((yield* tasks.find(id)).status, "failed")
    })
    yield* Effect.repeatN(works, 5)
    const tables = ["tasks", "actors", "steps", "inbox", "notifications", "outbox", "cluster_runners"]
    const change = (text: (table: string) => string) => query(tables.map(text).join(";"))
    yield* change((table) =>
      `alter table ${table} add column later text, add column later_count integer not null default 0`
    )
    yield* query("create table later (id uuid primary key)")
    yield* change((table) => `create index ${table}_later on ${table} (later)`)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        change((table) => `alter table ${table} drop column later, drop column later_count`),
        query("drop table later")
      )
    )
    yield* Effect.repeatN(works, 5)
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
