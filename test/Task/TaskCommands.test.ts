import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Fiber, Stream } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { makeInbox } from "../../src/Task/Journal/Inbox.ts"
import { Fenced, Journal } from "../../src/Task/Journal/Journal.ts"
import { type RunnerSignal, TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import { eventually } from "../support/Eventually.ts"
import { bob, claim, givenCompleted, givenSubtask, givenTask, givenWaiting, stepAfter } from "../support/GivenTasks.ts"
import { rowOf, rowsOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const because = "Cancelled: changed my mind"
const cancelled = { kind: "cancelled", error: because } as const

const everything = (id: TaskId) => Effect.all({ row: rowOf(id), steps: stepsOf(id) })

/** The commands that are signalled to the runners while something is done. */
const commandsDuring = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const signals = yield* TaskSignals
    const received: Array<RunnerSignal> = []
    yield* Effect.forkScoped(
      Stream.runForEach(signals.commands, (command) => Effect.sync(() => received.push(command)))
    )
    // Marks at both ends: what is between them was signalled meanwhile.
    const marks = Effect.sync(() =>
      received.filter((command) => command._tag === "Wake" && command.shards?.has(-1)).length
    )
    const mark = Effect.zipRight(Effect.sync(() => signals.wake([-1])), marks)
    const before = yield* eventually(mark, (count) => count > 0)
    yield* work
    yield* eventually(mark, (count) => count > before + 1)
    return received.filter((command) => command._tag !== "Wake" || !command.shards?.has(-1))
  })

/** Runs statements that are all under way before the first of them may touch the task's row. */
const meeting = (id: TaskId, statements: ReadonlyArray<Effect.Effect<boolean>>) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("begin")
    yield* query("select from actors where task_id = $1 for update", [id])
    const fiber = yield* Effect.fork(Effect.all(statements, { concurrency: "unbounded" }))
    const held = query(
      `select from pg_stat_activity, pg_stat_clear_snapshot()
       where datname = current_database() and wait_event_type = 'Lock'`
    )
    yield* eventually(held, ({ length }) => length === statements.length)
    yield* query("commit")
    return yield* Fiber.join(fiber)
  })

inWorld("TaskCommands.cancel", (test) => {
  test("fences out the actor of a running task from its commit on, and signals the runners", function*() {
    const commands = yield* TaskCommands
    const journal = yield* Journal
    const id = yield* givenTask()
    const held = yield* claim(id)
    const received = yield* commandsDuring(commands.cancel(id, because))
    assert.deepInclude(received, { _tag: "Revoked", tasks: new Set([id]) } satisfies RunnerSignal)
    const late = journal.append(stepAfter(held, { kind: "results", results: [] }))
    assert.instanceOf(yield* Effect.flip(late), Fenced)
    assert.deepInclude(yield* rowOf(id), { status: "failed", error: because, wake_at: null, runner: null })
    assert.deepStrictEqual((yield* stepsOf(id)).at(-1), cancelled)
  })

  test("ends a waiting task, its question and its unread answers", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenWaiting()
    yield* commands.answer(id, "This one", null)
    assert.strictEqual((yield* rowsOf(id))["inbox"], 1)
    assert.isTrue(yield* commands.cancel(id, because))
    assert.deepInclude(yield* rowOf(id), { status: "failed", question: null, last_tool_call_id: null, wake_at: null })
    assert.strictEqual((yield* rowsOf(id))["inbox"], 0)
  })

  test("ends the subtasks of every depth that are not over, and leaves those that are", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    const child = yield* givenSubtask(id, "running")
    const grandchild = yield* givenSubtask(child, "waiting_input")
    const over = yield* givenSubtask(id, "completed")
    const stranger = yield* givenTask()
    const before = [yield* everything(over), yield* everything(stranger)]
    assert.isTrue(yield* commands.cancel(id, because))
    for (const task of [id, child, grandchild]) {
      assert.deepInclude(yield* rowOf(task), { status: "failed", error: because, wake_at: null, epoch: 1, seq: 1 })
      assert.deepStrictEqual(yield* stepsOf(task), [cancelled])
    }
    assert.deepStrictEqual([yield* everything(over), yield* everything(stranger)], before)
  })

  test("ends each task once when a tree is cancelled at several places at the same time", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    const children = yield* Effect.forEach(Array.from({ length: 8 }), () => givenSubtask(id, "running"))
    yield* Effect.forEach(
      [...children, id, ...children.toReversed(), id],
      (task) => commands.cancel(task, because),
      { concurrency: "unbounded" }
    )
    for (const task of [id, ...children]) assert.deepStrictEqual(yield* stepsOf(task), [cancelled])
  })

  test("ends many tasks in one statement, also one with its own subtask, and returns those that were not over", function*() {
    const commands = yield* TaskCommands
    const [parent, other, over] = [yield* givenTask(), yield* givenWaiting(), yield* givenCompleted()]
    const child = yield* givenSubtask(parent, "running")
    const { query, sent } = yield* Wire
    yield* query("update actors set subtasks_open = 1 where task_id = $1", [parent])
    yield* query("update actors set awaited_by = $2 where task_id = $1", [child, parent])
    assert.deepStrictEqual(yield* commands.cancelAll([over, child, parent, other], because), [child, parent, other])
    for (const id of [parent, child, other]) assert.deepStrictEqual((yield* stepsOf(id)).at(-1), cancelled)
    assert.deepInclude(yield* rowOf(parent), { status: "failed", wake_at: null, inbox_sent: 0 })
    assert.strictEqual((yield* rowsOf(parent))["inbox"], 0)
    assert.strictEqual(sent.filter(({ name }) => name === "tasks_cancel").length, 1)
  })

  test("accepts any reason, even one that PostgreSQL can't store unchanged", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    assert.isTrue(yield* commands.cancel(id, "a\0b\ud800c"))
    assert.strictEqual((yield* rowOf(id)).error, "a\ufffdb\ufffdc")
  })
})

inWorld("TaskCommands.retry", (test) => {
  test("makes a failed task due again, with all its attempts, under a new epoch", function*() {
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    yield* commands.cancel(id, because)
    const received = yield* commandsDuring(commands.retry(id))
    const row = yield* rowOf(id)
    assert.deepInclude(received, { _tag: "Wake", shards: new Set([row.shard]) } satisfies RunnerSignal)
    assert.deepInclude(row, { status: "pending", error: null, attempts: 0, epoch: 2, seq: 2 })
    assert.isNotNull(row.wake_at)
    assert.deepStrictEqual(yield* stepsOf(id), [cancelled, { kind: "retried" }])
    assert.deepInclude(yield* claim(id), { attempts: 1, seq: 3 })
  })

  test("is made once of two at the same time", function*() {
    const commands = yield* TaskCommands
    const failed = yield* givenTask()
    yield* commands.cancel(failed, because)
    const outcomes = yield* meeting(failed, [commands.retry(failed), commands.retry(failed)])
    assert.deepStrictEqual(outcomes.sort(), [false, true])
  })
})

inWorld("TaskCommands.answer", (test) => {
  test("sends the answer to the call that asked, and makes the task due", function*() {
    const commands = yield* TaskCommands
    const inbox = yield* makeInbox
    const id = yield* givenWaiting()
    const text = "The \"second\"\none, a\0b\ud800c \\u0000"
    assert.isTrue(yield* commands.answer(id, text, bob))
    const row = yield* rowOf(id)
    assert.deepInclude(row, {
      status: "running",
      question: null,
      last_tool_call_id: null,
      inbox_sent: 1,
      attempts: 0
    })
    assert.isNotNull(row.wake_at)
    assert.deepStrictEqual((yield* stepsOf(id)).at(-1), { kind: "answered", by: "bob", name: null, via: null })
    const sent = yield* inbox.read(id)
    assert.deepStrictEqual(sent.map(({ body }) => body), [{
      kind: "answered",
      toolCallId: "ask1",
      text,
      trusted: false,
      approves: false
    }])
  })

  test("accepts exactly one of many concurrent answers", function*() {
    const commands = yield* TaskCommands
    const inbox = yield* makeInbox
    const id = yield* givenWaiting()
    const answers = ["one", "two", "three", "four"]
    const outcomes = yield* meeting(id, answers.map((text) => commands.answer(id, text, null)))
    const winners = answers.filter((_, index) => outcomes[index])
    assert.strictEqual(winners.length, 1)
    assert.deepStrictEqual(
      (yield* inbox.read(id)).map(({ body }) => body.kind === "answered" ? body.text : body.kind),
      winners
    )
    assert.strictEqual((yield* stepsOf(id)).filter(({ kind }) => kind === "answered").length, 1)
  })
})
