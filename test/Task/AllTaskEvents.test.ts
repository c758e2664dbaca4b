import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { requireCaller } from "../../src/Runtime/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/RequestRole.ts"
import { AllTaskEvents } from "../../src/Task/AllTaskEvents.ts"
import { parseResumePoint } from "../../src/Task/EventPosition.ts"
import { Journal } from "../../src/Task/Journal.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { TaskSignals } from "../../src/Task/TaskSignals.ts"
import { eventually } from "../support/Eventually.ts"
import { bob, claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const eventsAfter = (after?: string) =>
  Stream.unwrap(
    Effect.map(AllTaskEvents, ({ watch }) => watch(Option.flatMap(Option.fromNullable(after), parseResumePoint)))
  )

/** The ids of the first transaction and of those to come: resuming there means from the beginning. */
const beginning = "0"

const collected = (count: number, after: string) =>
  Effect.map(Stream.runCollect(Stream.take(eventsAfter(after), count)), Chunk.toReadonlyArray)

/** Reads on until the test ends. */
const watched = (after?: string) =>
  Effect.gen(function*() {
    const events: Array<AnyTaskEvent> = []
    yield* Effect.forkScoped(Stream.runForEach(eventsAfter(after), (event) => Effect.sync(() => events.push(event))))
    const until = (fits: (events: ReadonlyArray<AnyTaskEvent>) => boolean) =>
      eventually(Effect.sync(() => [...events]), fits, "20 seconds")
    if (after === undefined) yield* until(([first]) => first?._tag === "position")
    return { events, until }
  })

const statuses = (events: ReadonlyArray<AnyTaskEvent>, id: TaskId) =>
  events.flatMap((event) => event._tag === "status" && event.task_id === id ? [event.status] : [])

const failed = (error: string): Step => ({ kind: "failed", error })
const bodyOf = (step: Step) => JSON.stringify(step)

/** Steps that another process writes, so that no signal comes with them. */
const write = (id: TaskId, seq: number, step: Step, xact: string | null = null) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into steps (task_id, seq, body, xact_id) values ($1, $2, $3, coalesce($4::xid8, pg_current_xact_id()))`,
      [id, seq, bodyOf(step), xact]
    ))

const written = <R extends object>(sql: string, ...values: ReadonlyArray<unknown>) =>
  Effect.flatMap(Wire, ({ query }) => query<R>(sql, values))

/** Waits until all that is committed can be read: until then it counts as new, and other tests have transactions too. */
const settled = Effect.gen(function*() {
  const [now] = yield* written<{ id: string }>("select pg_current_xact_id()::text as id")
  yield* eventually(
    written<{ over: boolean }>("select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as over", now?.id),
    ([row]) => row?.over === true,
    "20 seconds"
  )
})

/** Waits until the reader has read twice more: what it could read by now it has. */
const readAgain = Effect.flatMap(Wire, ({ sent }) => {
  const reads = () => sent.filter(({ name }) => name === "events_read").length
  const before = reads()
  return eventually(Effect.sync(reads), (count) => count >= before + 2)
})

inWorld("Events of all tasks", (test) => {
  test(
    "are the log and the statuses of each task, from its creation to its end, with the task's id",
    Effect.gen(function*() {
      const { until } = yield* watched()
      const [one, other] = [yield* givenCompleted(), yield* givenCompleted()]
      const events = yield* until((all) => statuses(all, one).length === 3 && statuses(all, other).length === 3)
      for (const id of [one, other]) {
        assert.deepStrictEqual(statuses(events, id), ["pending", "running", "completed"])
        const logs = events.flatMap((event) =>
          event._tag === "log" && event.task_id === id ? [event.entry.message] : []
        )
        assert.match(logs[0] ?? "", /^The task started on /)
        assert.deepStrictEqual(logs.slice(1), ["The model answered", "The task completed"])
      }
      const ids = events.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  test(
    "resume after any event with exactly what came after it",
    Effect.gen(function*() {
      for (let n = 0; n < 3; n++) yield* givenCompleted()
      const whole = yield* collected(18, beginning)
      for (const [index, { id }] of whole.slice(0, -1).entries()) {
        const rest = whole.slice(index + 1)
        assert.deepStrictEqual(yield* collected(rest.length, id), rest, `after ${id}`)
      }
    })
  )

  test(
    "of a transaction that commits late are neither lost nor repeated, nor overtaken by later ones",
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const id = yield* givenTask()
      yield* settled
      const begun = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const late = yield* Effect.fork(sql.withTransaction(Effect.zipRight(
        sql`insert into steps (task_id, seq, body) values (${id}, 1, ${bodyOf(failed("late"))})`,
        Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(commit))
      )))
      yield* Deferred.await(begun)
      const { events, until } = yield* watched()
      yield* write(id, 2, failed("early"))
      yield* readAgain
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["position"])
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(late)
      const seen = yield* until((all) => statuses(all, id).length === 2)
      assert.deepStrictEqual(
        seen.flatMap((event) => event._tag === "status" ? [event.error] : []),
        ["late", "early"]
      )
      assert.strictEqual(new Set(seen.map((event) => event.id)).size, seen.length)
    })
  )

  test(
    "reach a stream that reads slower than they come, each once",
    Effect.gen(function*() {
      const id = yield* givenTask()
      const events = yield* AllTaskEvents
      const { stepped } = yield* TaskSignals
      yield* settled
      const seen: Array<string | null> = []
      const reading = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const slow = yield* Effect.fork(
        events.watch(Option.none()).pipe(
          Stream.tap((event) =>
            event._tag === "position"
              ? Effect.void
              : Effect.zipRight(Deferred.succeed(reading, undefined), Deferred.await(go))
          ),
          Stream.filterMap((event) => event._tag === "status" ? Option.some(event.error) : Option.none()),
          Stream.tap((error) => Effect.sync(() => seen.push(error))),
          Stream.take(40),
          Stream.runDrain
        )
      )
      const { until } = yield* watched()
      for (let seq = 1; seq <= 40; seq++) {
        yield* write(id, seq, failed(String(seq)))
        stepped([id])
        // Each in a page of its own, of which fewer are kept for a slow stream.
        yield* until((all) =>
          statuses(all, id).length === seq + statuses(all, id).filter((s) => s === "pending").length
        )
        if (seq === 1) yield* Deferred.await(reading)
      }
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(slow)
      assert.deepStrictEqual(
        seen.filter((error) => error !== null),
        Array.from({ length: 40 }, (_, n) => String(n + 1))
      )
    })
  )

  test(
    "pass over what can't be read, and over no long texts",
    Effect.gen(function*() {
      const id = yield* givenTask()
      const first = (yield* collected(1, beginning))[0]?.id ?? ""
      yield* written("insert into steps (task_id, seq, body) values ($1, 1, 'nonsense')", id)
      const long = "x".repeat(700_000)
      for (const seq of [2, 3, 4, 5]) yield* write(id, seq, failed(`${seq}${long}`))
      const errors = (yield* collected(12, first)).flatMap((event) =>
        event._tag === "status" ? [event.error?.slice(0, 1)] : []
      )
      assert.deepStrictEqual(errors, ["2", "3", "4", "5"])
    })
  )

  test(
    "show no status after one that followed it, where two transactions waited for each other",
    Effect.gen(function*() {
      const id = yield* givenTask()
      const { first } = (yield* written<{ first: string }>("select pg_current_xact_id()::text as first"))[0] ??
        { first: "" }
      yield* written("select pg_current_xact_id()")
      const { second } = (yield* written<{ second: string }>("select pg_current_xact_id()::text as second"))[0]
        ?? { second: "" }
      yield* write(id, 2, failed("cancelled"), first)
      yield* write(id, 1, { kind: "woken", epoch: 1, reason: "first", runner: "host:1" }, second)
      yield* settled
      const events = yield* collected(4, first)
      assert.deepStrictEqual(statuses(events, id), ["failed"])
      assert.strictEqual(events.filter(({ _tag }) => _tag === "log").length, 3)
    })
  )

  test(
    "come from now on for the id of another database server",
    Effect.gen(function*() {
      yield* givenCompleted()
      yield* settled
      const { events, until } = yield* watched("999999999999")
      yield* readAgain
      const id = yield* givenTask()
      const held = yield* claim(id)
      yield* (yield* Journal).append(stepAfter(held, failed("now")))
      yield* until((all) => statuses(all, id).length === 3)
      assert.isTrue(events.every((event) => event._tag === "position" || event.task_id === id))
    })
  )

  test(
    "are those of the team for each of its members, and of nobody without one",
    Effect.gen(function*() {
      yield* ensureRequestRole()
      const id = yield* givenCompleted()
      const tasks = yield* Tasks
      const past = Effect.provideService(tasks.allEvents(Option.some(beginning)), CurrentUser, {
        id: bob,
        role: "member"
      })
      const events = yield* Stream.runCollect(Stream.take(Stream.unwrap(past), 6))
      assert.deepStrictEqual(statuses(Chunk.toReadonlyArray(events), id), ["pending", "running", "completed"])
      const nobody = requireCaller(Effect.exit(Effect.flatMap(tasks.allEvents(Option.none()), Stream.runDrain)))
      assert.isTrue(Exit.isFailure(yield* nobody))
    })
  )

  test(
    "are read once for all streams, and not at all without one",
    Effect.gen(function*() {
      const { sent } = yield* Wire
      const streams = yield* Effect.all([watched(), watched(), watched()])
      const id = yield* givenTask()
      for (const { until } of streams) yield* until((all) => statuses(all, id).length === 1)
      const reads = sent.filter(({ name }) => name === "events_read").map(({ values }) => values.join())
      assert.isBelow(reads.length, 12)
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
})
