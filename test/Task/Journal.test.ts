import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { type TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import type { TaskState } from "@troupe/domain/TaskState"
import { Cause, Effect, Exit, Fiber, Option, Schema } from "effect"
import { Fenced, Journal, JournalFailed } from "../../src/Task/Journal/Journal.ts"
import type { StepWrite } from "../../src/Task/Journal/StepWrite.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { keysOf, running, said, send, write } from "./steps.ts"

const givenTasks = (count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) => givenTask(`Task ${index}`, UserId.make(`user${index}`)), {
    concurrency: "unbounded"
  })

/** How many steps each of the journal's statements carried. */
const groups = Effect.map(
  Wire,
  (line) => line.sent.filter(({ name }) => name.startsWith("journal_append")).map(({ values }) => sizeOf(values[0]))
)

const sizeOf = (input: unknown): number =>
  Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.Unknown)))(input).length

/** Appends the first while the journal is held back, and the others so that they have to wait for it. */
const appendTogether = (writes: ReadonlyArray<StepWrite>) =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const line = yield* Wire
    const gate = yield* Effect.makeLatch(false)
    line.sent.length = 0
    line.before = ({ name }) => name.startsWith("journal_append") ? gate.await : Effect.void
    const fibers = []
    for (const entry of writes) {
      fibers.push(yield* Effect.fork(journal.append(entry)))
      if (fibers.length === 1) yield* eventually(groups, (sizes) => sizes.length === 1)
    }
    yield* Effect.repeatN(Effect.yieldNow(), 100)
    assert.deepStrictEqual(yield* groups, [1], "one write is in flight at a time")
    yield* gate.open
    return yield* Effect.forEach(fibers, Fiber.await)
  })

const everything = (id: TaskId) => Effect.all({ row: rowOf(id), steps: stepsOf(id), keys: keysOf(id) })

inWorld("Journal", (test) => {
  test("writes steps of many tasks that fall due together as one statement, and answers each after its commit", function*() {
    const ids = yield* givenTasks(40)
    const exits = yield* appendTogether(ids.map((id) => write(id)))
    assert.isTrue(exits.every(Exit.isSuccess))
    assert.deepStrictEqual(yield* groups, [1, 39])
    for (const id of ids) assert.deepStrictEqual(yield* stepsOf(id), [said("Hello")])
  })

  test("answers no caller before the commit", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    const ids = yield* givenTasks(20)
    yield* Effect.forEach(ids, (id) =>
      Effect.gen(function*() {
        yield* journal.append(write(id))
        const [row] = yield* line.query("select from steps where task_id = $1", [id])
        assert.isDefined(row)
      }), { concurrency: "unbounded" })
  })

  test("keeps a task's steps in their order and reads those after a number", function*() {
    const journal = yield* Journal
    const id = yield* givenTask()
    for (const seq of [1, 2, 3]) yield* journal.append(write(id, { seq, step: said(`${seq}`) }))
    const steps = yield* journal.read(id, 1)
    assert.deepStrictEqual(steps.map(({ seq, step }) => [seq, step]), [[2, said("2")], [3, said("3")]])
    assert.match(steps[0]?.at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.include(yield* rowOf(id), { seq: 3, status: "running", progress: 10, attempts: 1 })
  })

  test("changes nothing under a stale epoch, a stale or early number, or for a task that is gone, and says so", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    const id = yield* givenTask()
    yield* line.query("update actors set epoch = 3 where task_id = $1", [id])
    yield* journal.append(write(id, { epoch: 3 }))
    yield* send(id, "answered:1")
    const before = yield* everything(id)
    const stale: ReadonlyArray<Partial<StepWrite>> = [
      { epoch: 2, seq: 2 },
      { epoch: 4, seq: 2 },
      { epoch: 3, seq: 1 },
      { epoch: 3, seq: 3 }
    ]
    for (const over of stale) {
      const error = yield* Effect.flip(journal.append(write(id, { ...over, consumed: ["answered:1"] })))
      assert.instanceOf(error, Fenced)
      assert.deepStrictEqual(yield* everything(id), before)
    }
    yield* line.query("delete from actors where task_id = $1", [id])
    assert.instanceOf(yield* Effect.flip(journal.append(write(id, { epoch: 3, seq: 2 }))), Fenced)
    assert.strictEqual((yield* stepsOf(id)).length, 1)
  })

  test("fences out the stale writers of a group and no others", function*() {
    const ids = yield* givenTasks(6)
    const exits = yield* appendTogether(ids.map((id, index) => write(id, { epoch: index === 3 ? 7 : 0 })))
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, true, false, true, true])
    assert.deepStrictEqual(yield* groups, [1, 5])
  })

  test("writes the other steps of a group when the database refuses one", function*() {
    const ids = yield* givenTasks(6)
    const exits = yield* appendTogether(ids.map((id, index) => write(id, { progress: index === 3 ? 101 : 10 })))
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, true, false, true, true])
    const errors = exits.flatMap((exit) => Exit.isFailure(exit) ? Option.toArray(Cause.failureOption(exit.cause)) : [])
    assert.isTrue(errors.every((error) => error instanceof JournalFailed && error.isRefusal))
    assert.deepStrictEqual(yield* groups, [1, 5, 1, 1, 1, 1, 1])
    const counts = yield* Effect.forEach(ids, (id) => Effect.map(stepsOf(id), ({ length }) => length))
    assert.deepStrictEqual(counts, [1, 1, 1, 0, 1, 1])
  })

  test("writes a step even if its caller was interrupted", function*() {
    const line = yield* Wire
    const id = yield* givenTask()
    const caller = yield* Effect.fork(Effect.flatMap(Journal, ({ append }) => append(write(id))))
    line.before = () => Effect.asVoid(Fiber.interrupt(caller))
    assert.isTrue(Exit.isInterrupted(yield* Fiber.await(caller)))
    yield* eventually(stepsOf(id), (steps) => steps.length === 1)
  })

  test("waits for an unavailable database and then writes the step once", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    const id = yield* givenTask()
    let failures = 2
    line.before = ({ name }) =>
      name.startsWith("journal_append") && failures-- > 0
        ? new SqlError({ cause: { code: "57P01" }, message: "terminating connection" })
        : Effect.void
    yield* journal.append(write(id))
    assert.deepStrictEqual(yield* groups, [1, 1, 1])
    assert.strictEqual((yield* stepsOf(id)).length, 1)
  })

  test("reads NUL characters and lone surrogates back unchanged, and never refuses a task for them", function*() {
    const journal = yield* Journal
    const id = yield* givenTask()
    const odd = "a\0b\ud800c\udc00d\u{1F600}\\u0000"
    const asked: Step = {
      ...said(odd),
      message: {
        role: "assistant",
        content: odd,
        tool_calls: [{ id: ToolCallId.make(odd), name: odd, arguments: odd }],
        opaque: { [odd]: odd }
      }
    }
    const state: TaskState = { ...running, status: "waiting_input", question: odd, lastToolCallId: odd, error: odd }
    yield* journal.append(write(id, { step: asked, state }))
    assert.deepStrictEqual(yield* stepsOf(id), [asked])
    const plain = "a\ufffdb\ufffdc\ufffdd\u{1F600}\\u0000"
    assert.deepInclude(yield* rowOf(id), { question: plain, error: plain, last_tool_call_id: plain })
  })

  test("parks a task without a wake-up, unless a command arrived that the writer has not read and that ends the wait", function*() {
    const journal = yield* Journal
    const waiting: TaskState = { ...running, status: "waiting_input", question: "Which?", lastToolCallId: "call1" }
    const park = { state: waiting, wake: { _tag: "Park" } } as const

    const parked = yield* givenTask()
    yield* journal.append(write(parked, park))
    assert.deepInclude(yield* rowOf(parked), {
      wake_at: null,
      status: "waiting_input",
      question: "Which?",
      last_tool_call_id: "call1"
    })

    const overruled = yield* givenTask()
    yield* send(overruled, "ended:1")
    const awaiting: TaskState = { ...running, status: "waiting_subagents", lastToolCallId: "[\"call1\"]" }
    yield* journal.append(write(overruled, { ...park, state: awaiting }))
    assert.isNotNull((yield* rowOf(overruled)).wake_at)
    assert.deepStrictEqual(yield* keysOf(overruled), ["ended:1"])

    const asking = yield* givenTask()
    yield* send(asking, "ended:1")
    yield* journal.append(write(asking, park))
    assert.isNull((yield* rowOf(asking)).wake_at, "a question is waited for whatever else has ended")

    const seen = yield* givenTask()
    yield* send(seen, "ended:1")
    yield* journal.append(write(seen, { ...park, inboxSeen: 1 }))
    assert.isNull((yield* rowOf(seen)).wake_at)
  })

  test("wakes a sleeping task at its time, or at once for a command that the writer has not read", function*() {
    const journal = yield* Journal
    const wake = { _tag: "After", millis: 3_600_000 } as const
    const asleep = yield* givenTask()
    yield* journal.append(write(asleep, { wake }))
    const { updated_at, wake_at } = yield* rowOf(asleep)
    assert.strictEqual((wake_at?.getTime() ?? 0) - updated_at.getTime(), wake.millis)

    const called = yield* givenTask()
    yield* send(called, "ended:1")
    yield* journal.append(write(called, { wake }))
    const row = yield* rowOf(called)
    assert.isAtMost(row.wake_at?.getTime() ?? Infinity, row.updated_at.getTime())
  })

  test("keeps the wake-up of a task that continues, clears that of one that is over, and completes none that has unread commands", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    for (const status of ["completed", "failed"] as const) {
      const id = yield* givenTask()
      const due = (yield* rowOf(id)).wake_at
      yield* journal.append(write(id))
      assert.deepStrictEqual((yield* rowOf(id)).wake_at, due)
      yield* send(id, "answered:1")
      const error = status === "failed" ? "Why" : null
      const last = write(id, { seq: 2, state: { ...running, status, error }, wake: { _tag: "Park" } })
      const before = yield* rowOf(id)
      if (status === "completed") {
        assert.deepStrictEqual(yield* journal.append(last), { isWritten: false, inboxSent: 1 })
        assert.deepStrictEqual(yield* rowOf(id), before)
        const stale = yield* Effect.flip(journal.append({ ...last, epoch: last.epoch + 1 }))
        assert.strictEqual(stale._tag, "Fenced")
      }
      yield* journal.append({ ...last, inboxSeen: status === "completed" ? 1 : 0 })
      assert.deepInclude(yield* rowOf(id), { wake_at: null, status, error })
      const [row] = yield* line.query("select from actors where task_id = $1 and completed_at is not null", [id])
      assert.isDefined(row)
    }
  })

  test("deletes the commands that the step acts on, in the same commit, and no others", function*() {
    const journal = yield* Journal
    const [id, other] = yield* Effect.all([givenTask(), givenTask()])
    for (const key of ["answered:1", "answered:2"]) {
      yield* send(id, key)
      yield* send(other, key)
    }
    yield* journal.append(write(id, { consumed: ["answered:1"], inboxSeen: 2 }))
    assert.deepStrictEqual([yield* keysOf(id), yield* keysOf(other)], [["answered:2"], ["answered:1", "answered:2"]])
  })
})
