import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Clock, Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { keyedPlans } from "../../src/Runtime/Database/PreparedStatements.ts"
import { findOldestOpen, readEvents } from "../../src/Task/Events/AllTasksTopic.ts"
import { noTask } from "../../src/Task/Events/Position.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { buffersOf } from "../support/Buffers.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { beginning, byService, collected, errors, type Event, idOf, reading, statuses } from "./eventSources.ts"

const failed = (error: string): Step => ({ kind: "failed", error })

const query = <R extends object>(text: string, ...values: ReadonlyArray<unknown>) =>
  Effect.flatMap(Wire, (wire) => wire.query<R>(text, values))

/** A step of another process, in a transaction with this number. */
const write = (id: TaskId, seq: number, step: Step, xact: string | null = null) =>
  query(
    `insert into steps (task_id, seq, body, xact_id) values ($1, $2, $3, coalesce($4::xid8, pg_current_xact_id()))`,
    id,
    seq,
    JSON.stringify(step),
    xact
  )

const newTransaction = Effect.map(
  query<{ id: string }>("select pg_current_xact_id()::text as id"),
  ([row]) => row?.id ?? assert.fail()
)

/** Waits until all that is committed can be read: until then it counts as new, and other tests have transactions too. */
const settled = Effect.flatMap(newTransaction, (id) =>
  eventually(
    query<{ over: boolean }>("select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as over", id),
    ([row]) => row?.over === true
  ))

/** Waits until the reader has read twice more: what it could read by now it has. */
const readAgain = Effect.flatMap(Wire, ({ sent }) => {
  const reads = () => sent.filter(({ name }) => name === "events_read").length
  const before = reads()
  return eventually(Effect.sync(reads), (count) => count >= before + 2)
})

const watched = (after?: string) =>
  Effect.tap(
    reading(byService(null, after)),
    ({ until }) => after === undefined ? until(([first]) => first?._tag === "position") : Effect.void
  )

/** Steps of as many transactions as there are numbers, in no order. */
const givenSteps = (from: number, to: number) =>
  query(
    `insert into steps (task_id, seq, body, xact_id)
     select ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, n, '{"kind":"failed","error":"' || i || '"}',
       (100 + (hashtext(i::text) & 255))::text::xid8
     from generate_series($1::integer, $2) i, generate_series(1, 10) n`,
    from,
    to
  )

/** Pages that a read touches from here. */
const pagesFrom = (xact: string) => buffersOf(readEvents({ xact, task: noTask, seq: -1 }), keyedPlans)

inWorld("Events of all tasks", (test) => {
  test("are the same objects for all streams, so that each is made and encoded once", function*() {
    const [one, other] = [yield* watched(), yield* watched()]
    const id = yield* givenCompleted()
    const ended = (all: ReadonlyArray<Event>) => statuses(all, id).length === 3
    const [first, second] = [yield* one.until(ended), yield* other.until(ended)]
    for (const [index, event] of first.slice(1).entries()) assert.strictEqual(event, second[index + 1])
  })

  test("pass over what can't be read, and over no long texts", function*() {
    const id = yield* givenTask()
    const [first] = yield* collected(byService(null, beginning), 1)
    yield* query("insert into steps (task_id, seq, body) values ($1, 1, 'nonsense')", id)
    const long = "x".repeat(700_000)
    for (const seq of [2, 3, 4, 5]) yield* write(id, seq, failed(`${seq}${long}`))
    const events = yield* collected(byService(null, idOf(first ?? assert.fail())), 16)
    assert.deepStrictEqual(errors(events).map((error) => error.slice(0, 1)), ["2", "3", "4", "5"])
  })

  test("come from now on for the id of another database server", function*() {
    yield* givenCompleted()
    yield* settled
    const { seen, until } = yield* watched("999999999999")
    yield* readAgain
    const id = yield* givenTask()
    yield* (yield* Journal).append(stepAfter(yield* claim(id), failed("now")))
    yield* until((all) => statuses(all, id).length === 3)
    assert.isTrue(seen.every((event) => !("task_id" in event) || event.task_id === id))
  })

  test("are for nobody without a caller, where one is required", function*() {
    const tasks = yield* Tasks
    const nobody = requireCaller(Effect.exit(Effect.flatMap(tasks.allEvents(Option.none()), Stream.runDrain)))
    assert.isTrue(Exit.isFailure(yield* nobody))
  })

  test("of a transaction that commits late are neither lost nor repeated, nor overtaken by later ones", function*() {
    const sql = yield* SqlClient
    const id = yield* givenTask()
    yield* settled
    const begun = yield* Deferred.make<void>()
    const commit = yield* Deferred.make<void>()
    const late = yield* Effect.fork(sql.withTransaction(Effect.zipRight(
      sql`insert into steps (task_id, seq, body) values (${id}, 1, ${JSON.stringify(failed("late"))})`,
      Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(commit))
    )))
    yield* Deferred.await(begun)
    const { seen, until } = yield* watched()
    yield* write(id, 2, failed("early"))
    yield* readAgain
    assert.deepStrictEqual(seen.map(({ _tag }) => _tag), ["position"])
    yield* Deferred.succeed(commit, undefined)
    yield* Fiber.join(late)
    const events = yield* until((all) => statuses(all, id).length === 2)
    assert.deepStrictEqual(errors(events), ["late", "early"])
    assert.strictEqual(new Set(events.map(idOf)).size, events.length)
  })

  test("show no status after one that followed it, where two transactions waited for each other", function*() {
    const id = yield* givenTask()
    const first = yield* newTransaction
    yield* newTransaction
    const second = yield* newTransaction
    yield* write(id, 2, failed("cancelled"), first)
    yield* write(id, 1, { kind: "woken", epoch: 1, reason: "first", runner: "host:1" }, second)
    yield* settled
    const events = yield* collected(byService(null, first), 4)
    assert.deepStrictEqual(statuses(events, id), ["failed"])
    assert.strictEqual(events.filter(({ _tag }) => _tag === "log").length, 3)
  })

  test(
    "are read once for all streams, and not at all without one",
    Effect.gen(function*() {
      const { sent } = yield* Wire
      const began = yield* Clock.currentTimeMillis
      const streams = yield* Effect.all(Array.from({ length: 20 }, () => watched()))
      const id = yield* givenTask()
      for (const { until } of streams) yield* until((all) => statuses(all, id).length === 1)
      const reads = sent.filter(({ name }) => name === "events_read").map(({ values }) => values.join())
      // Transactions of other tests delay events; meanwhile there is a read every 100 ms.
      const again = ((yield* Clock.currentTimeMillis) - began) / 100
      assert.isBelow(reads.length, streams.length + again)
    }).pipe(
      Effect.scoped,
      Effect.zipRight(Effect.gen(function*() {
        const { sent } = yield* Wire
        sent.length = 0
        yield* givenCompleted()
        yield* Effect.sleep("700 millis")
        assert.isFalse(sent.some(({ name }) => name === "events_read"))
      }))
    )
  )

  test("cost a bounded number of pages, anywhere among two hundred thousand steps, and where new ones take the space of old ones", function*() {
    yield* givenSteps(1, 18_000)
    yield* query("delete from steps where hashtext(task_id::text || seq) % 3 = 0")
    yield* query("vacuum steps")
    yield* givenSteps(18_001, 24_000)
    yield* query("vacuum analyze steps")
    yield* settled
    const [now] = yield* query<{ oldest_open: string }>(findOldestOpen({}).text)
    const end = String(now?.oldest_open)
    assert.isBelow(yield* pagesFrom(end), 15, "with nothing new")
    yield* query(`insert into steps (task_id, seq, body) select task_id, 99, '{}' from steps limit 1`)
    yield* settled
    assert.isBelow(yield* pagesFrom(end), 25, "with one new row")
    assert.isBelow(yield* pagesFrom("0"), 256 * 12, "far behind")
  })
})
