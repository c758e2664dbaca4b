import { assert } from "@effect/vitest"
import type { AnyTaskEvent } from "@troupe/api/TaskEvent"
import { Chunk, Clock, Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { AllTaskEvents } from "../../src/Task/Events/AllTaskEvents.ts"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { bob, claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { collected, failed, readAgain, settled, statuses, watched, write, written } from "./allTaskEvents.ts"

/** The ids of the first transaction and of those to come: resuming there means from the beginning. */
const beginning = "0"

inWorld("Events of all tasks", (test) => {
  test("are the log and the statuses of each task, from its creation to its end, with the task's id", function*() {
    const { until } = yield* watched()
    const [one, other] = [yield* givenCompleted(), yield* givenCompleted()]
    const events = yield* until((all) => statuses(all, one).length === 3 && statuses(all, other).length === 3)
    for (const id of [one, other]) {
      assert.deepStrictEqual(statuses(events, id), ["pending", "running", "completed"])
      const logs = events.flatMap((event) => event._tag === "log" && event.task_id === id ? [event.entry.message] : [])
      assert.match(logs[0] ?? "", /^The task started on /)
      assert.deepStrictEqual(logs.slice(1), [
        "The model answered",
        "The task completed",
        "Notified the user of the result"
      ])
    }
    const ids = events.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  test("say that a task was archived and deleted, also to a stream that resumes later", function*() {
    const { until } = yield* watched()
    const tasks = yield* Tasks
    const id = yield* givenCompleted()
    const before = yield* until((all) => statuses(all, id).length === 3)
    yield* tasks.remove(id)
    const ofTask = (all: ReadonlyArray<AnyTaskEvent>) =>
      all.flatMap((event) =>
        event._tag !== "position" && event._tag !== "log" && event.task_id === id ? [event._tag] : []
      )
    const known = ["status", "status", "status"]
    yield* until((all) => ofTask(all).length === 4)
    yield* tasks.remove(id)
    const events = yield* until((all) => ofTask(all).length === 5)
    assert.deepStrictEqual(ofTask(events), [...known, "archived", "deleted"])
    const [later] = yield* collected(1, before.at(-1)?.id ?? "")
    assert.deepInclude(later, { _tag: "deleted", task_id: id })
  })

  test("are the same objects for all streams, so that each is made and encoded once", function*() {
    const [one, other] = [yield* watched(), yield* watched()]
    const id = yield* givenCompleted()
    const ended = (all: ReadonlyArray<AnyTaskEvent>) => statuses(all, id).length === 3
    const [first, second] = [yield* one.until(ended), yield* other.until(ended)]
    const ofTask = (all: ReadonlyArray<AnyTaskEvent>) =>
      all.filter((event) => "task_id" in event && event.task_id === id)
    const theirs = ofTask(second)
    for (const [index, event] of ofTask(first).entries()) assert.strictEqual(event, theirs[index])
  })

  test("resume after any event with exactly what came after it", function*() {
    for (let n = 0; n < 3; n++) yield* givenCompleted()
    const whole = yield* collected(18, beginning)
    for (const [index, { id }] of whole.slice(0, -1).entries()) {
      const rest = whole.slice(index + 1)
      assert.deepStrictEqual(yield* collected(rest.length, id), rest, `after ${id}`)
    }
  })

  test("reach a stream that reads slower than they come, each once", function*() {
    const id = yield* givenTask()
    const events = yield* AllTaskEvents
    const { stepped } = yield* TaskSignals
    yield* settled
    const seen: Array<string | null> = []
    const reading = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const slow = yield* Effect.fork(
      events.watch(Option.none(), null).pipe(
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
      yield* until((all) => statuses(all, id).length === seq + statuses(all, id).filter((s) => s === "pending").length)
      if (seq === 1) yield* Deferred.await(reading)
    }
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(slow)
    assert.deepStrictEqual(
      seen.filter((error) => error !== null),
      Array.from({ length: 40 }, (_, n) => String(n + 1))
    )
  })

  test("pass over what can't be read, and over no long texts", function*() {
    const id = yield* givenTask()
    const first = (yield* collected(1, beginning))[0]?.id ?? ""
    yield* written("insert into steps (task_id, seq, body) values ($1, 1, 'nonsense')", id)
    const long = "x".repeat(700_000)
    for (const seq of [2, 3, 4, 5]) yield* write(id, seq, failed(`${seq}${long}`))
    const errors = (yield* collected(16, first)).flatMap((event) =>
      event._tag === "status" ? [event.error?.slice(0, 1)] : []
    )
    assert.deepStrictEqual(errors, ["2", "3", "4", "5"])
  })

  test("come from now on for the id of another database server", function*() {
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

  test("are those of the team for each of its members, and of nobody without one", function*() {
    yield* ensureRequestRole()
    const id = yield* givenCompleted()
    const tasks = yield* Tasks
    const past = as({ id: bob, role: "member" })(tasks.allEvents(Option.some(beginning)))
    const events = yield* Stream.runCollect(Stream.take(Stream.unwrap(past), 7))
    assert.deepStrictEqual(statuses(Chunk.toReadonlyArray(events), id), ["pending", "running", "completed"])
    const nobody = requireCaller(Effect.exit(Effect.flatMap(tasks.allEvents(Option.none()), Stream.runDrain)))
    assert.isTrue(Exit.isFailure(yield* nobody))
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
})
