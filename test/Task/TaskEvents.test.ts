import { assert } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Chunk, Effect, FastCheck as fc, Fiber, Option, Stream } from "effect"
import { TaskEvents } from "../../src/Task/Events/TaskEvents.ts"
import { parsePosition } from "../../src/Task/Events/TaskFrames.ts"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { model } from "./taskEvents.ts"

const results = (...ids: ReadonlyArray<string>): Step => ({
  kind: "results",
  results: ids.map((id) => ({
    message: { role: "tool", tool_call_id: ToolCallId.make(id), name: "look", content: `result ${id}` },
    millis: 1
  }))
})

const woken: Step = { kind: "woken", epoch: 1, reason: "first", runner: "host:1" }

/** A life with everything in it: a failure and its retry in the middle, and an answer at the end. */
const life: ReadonlyArray<Step> = [
  woken,
  model("I look.", "a", "b", "c"),
  { kind: "started", calls: [ToolCallId.make("b")] },
  results("b"),
  results("a", "c"),
  { kind: "crashed", reason: "a bug", retryAt: 1 },
  { ...woken, epoch: 2, reason: "recovery" },
  { kind: "failed", error: "Out of luck" },
  { kind: "retried" },
  { ...woken, epoch: 3, reason: "retry" },
  { kind: "answered", by: null },
  model("", "d"),
  results("d"),
  model("It is 42.")
]

/** Appends steps as the table keeps them, past the journal that would tell of them. */
const append = (id: TaskId, after: number, steps: ReadonlyArray<Step>) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with added as (
         insert into steps (task_id, seq, body)
         select $1, $2 + n, body from unnest($3::text[]) with ordinality as s(body, n) returning seq
       )
       update actors set seq = (select max(seq) from added) where task_id = $1`,
      [id, after, steps.map((step) => JSON.stringify(step))]
    ))

/** Hints come after the commit, as from the journal itself. */
const appendAndTell = (id: TaskId, after: number, steps: ReadonlyArray<Step>) =>
  Effect.zipRight(append(id, after, steps), Effect.map(TaskSignals, (signals) => signals.stepped([id])))

const givenLife = Effect.tap(givenTask(), (id) => append(id, 0, life))

const eventsOf = (id: TaskId, after?: string) =>
  Stream.unwrap(
    Effect.map(TaskEvents, ({ watch }) =>
      watch(id, {
        type: "task",
        after: Option.flatMap(Option.fromNullable(after), parsePosition),
        isOver: false,
        isOutline: false
      }))
  )

const collected = (id: TaskId, after?: string) =>
  Effect.map(Stream.runCollect(eventsOf(id, after)), Chunk.toReadonlyArray)

const idOf = (event: TaskEvent): string => event._tag === "text" ? "" : event.id

const statuses = (events: ReadonlyArray<TaskEvent>) =>
  events.flatMap((event) => event._tag === "status" ? [event.status] : [])

inWorld("TaskEvents", (test) => {
  test("begin with the start, report each step in order and end with the terminal status", function*() {
    const events = yield* collected(yield* givenLife)
    assert.deepStrictEqual(events[0], { _tag: "status", id: "0.0", status: "pending", error: null })
    assert.deepStrictEqual(statuses(events), [
      "pending",
      "running",
      "running",
      "failed",
      "pending",
      "running",
      "running",
      "completed"
    ])
    assert.deepInclude(events.at(-1), { _tag: "status", status: "completed" })
    assert.strictEqual(new Set(events.map(idOf)).size, events.length, "each has an id of its own")
    assert.deepStrictEqual(events.slice(1, 8).map((event) => [event._tag, idOf(event)]), [
      ["log", "1.0"],
      ["status", "1.1"],
      ["log", "2.0"],
      ["log", "2.1"],
      ["log", "2.2"],
      ["log", "2.3"],
      ["usage", "2.4"]
    ])
    const usages = events.flatMap((event) => event._tag === "usage" ? [event.usage] : [])
    assert.deepStrictEqual(usages, [
      { input_tokens: 10, output_tokens: 5, model_calls: 1, tool_calls: 0, cost: null },
      { input_tokens: 20, output_tokens: 10, model_calls: 2, tool_calls: 3, cost: null },
      { input_tokens: 30, output_tokens: 15, model_calls: 3, tool_calls: 4, cost: null }
    ])
    const failed = events.find((event) => event._tag === "status" && event.status === "failed")
    assert.deepInclude(failed, { error: "Out of luck" })
  })

  test("resume after any event with exactly what came after it", function*() {
    const id = yield* givenLife
    const whole = yield* collected(id)
    for (const [index, event] of whole.entries()) {
      assert.deepStrictEqual(yield* collected(id, idOf(event)), whole.slice(index + 1), `after ${idOf(event)}`)
    }
  })

  test("have no gap and no repetition over any reconnections, while steps are still written", function*() {
    const expected = (yield* collected(yield* givenLife)).map(idOf)
    const cuts = fc.record({
      takes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 }),
      bursts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 })
    })
    for (const { bursts, takes } of fc.sample(cuts, 8)) {
      const id = yield* givenTask()
      const writing = Effect.gen(function*() {
        let at = 0
        for (let burst = 0; at < life.length; burst++) {
          const until = at + (bursts[burst % bursts.length] ?? 1)
          yield* appendAndTell(id, at, life.slice(at, until))
          at = until
        }
      })
      const writer = yield* Effect.fork(writing)
      const seen: Array<string> = []
      for (let connection = 0; seen.length < expected.length; connection++) {
        const events = Stream.take(eventsOf(id, seen.at(-1)), takes[connection % takes.length] ?? 1)
        const part = yield* Stream.runCollect(events)
        seen.push(...Chunk.toReadonlyArray(part).map(idOf))
      }
      yield* Fiber.join(writer)
      assert.deepStrictEqual(seen, expected)
    }
  })

  test("begin at the start for an invalid id", function*() {
    const id = yield* givenLife
    const whole = yield* collected(id)
    for (const after of ["", "nonsense", "1", "1.2.3", "-1.0", "99999999999.0"]) {
      assert.deepStrictEqual(yield* collected(id, after), whole)
    }
  })

  test("come as the steps are journalled, and end with the cancel of the task", function*() {
    const journal = yield* Journal
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    const seen: Array<TaskEvent> = []
    const watching = yield* Effect.fork(
      Stream.runForEach(eventsOf(id), (event) => Effect.sync(() => seen.push(event)))
    )
    const sees = (count: number) => eventually(Effect.sync(() => seen.length), (length) => length === count)
    yield* sees(1)
    const held = yield* claim(id)
    yield* journal.append(stepAfter(held, model("I look.", "a")))
    yield* sees(6)
    yield* commands.cancel(id, "Cancelled: enough")
    yield* Fiber.join(watching)
    assert.deepInclude(seen.at(-1), { _tag: "status", status: "failed", error: "Cancelled: enough" })
  })

  test("include steps without a signal, and end when the task is removed", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    const watching = yield* Effect.fork(collected(id))
    yield* append(id, 0, [woken])
    yield* query("delete from actors where task_id = $1", [id])
    yield* query("delete from tasks where id = $1", [id])
    const events = yield* Effect.timeout(Fiber.join(watching), "15 seconds")
    assert.include(statuses(events), "pending")
  })

  test("of a finished task are all there at once", function*() {
    const tasks = yield* Tasks
    const events = yield* Stream.runCollect(
      Stream.unwrap(tasks.events(yield* givenCompleted(), Option.none()))
    )
    assert.deepStrictEqual(statuses(Chunk.toReadonlyArray(events)), ["pending", "running", "completed"])
  })
})
