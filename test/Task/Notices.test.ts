import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Fiber, Option } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Fenced, Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { memberAlice, memberBob } from "../People/alice.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, claim, givenSubtask, givenTask, stepAfter, takeStep } from "../support/GivenTasks.ts"
import { asks, call, dies, says, scriptedModel } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"

/** The rows of a task's notifications, in their order, as the creator, the step and the kind of the step. */
const noticed = (id: TaskId) =>
  Effect.flatMap(Wire, ({ query }) =>
    query<{ user_id: string; kind: string; seq: number }>(
      `select n.user_id, s.body::json ->> 'kind' as kind, n.seq from notifications n
       left join steps s on s.task_id = n.task_id and s.seq = n.seq where n.task_id = $1 order by n.id`,
      [id]
    ))

const kindsNoticed = (id: TaskId) => Effect.map(noticed(id), (rows) => rows.map(({ kind }) => kind))

const failure: Step = { kind: "failed", error: "No model answers" }
const messages: Step = { kind: "results", results: [], notices: ["Half way", "Nearly"] }

inWorld("Notices", (test) => {
  test("of an end, a question and messages are written in the commit of their step, one each, for the task's creator", function*() {
    const journal = yield* Journal
    const id = yield* givenTask()
    const held = yield* claim(id)
    yield* journal.append(stepAfter(held, messages))
    yield* journal.append(stepAfter({ ...held, seq: 2 }, failure))
    assert.deepStrictEqual(yield* noticed(id), [
      { user_id: alice, kind: "results", seq: 2 },
      { user_id: alice, kind: "results", seq: 2 },
      { user_id: alice, kind: "failed", seq: 3 }
    ])
  })

  test("are not made for a step that gives none, with the statement of before", function*() {
    const line = yield* Wire
    const id = yield* givenTask()
    yield* takeStep(id, { kind: "results", results: [] })
    assert.deepStrictEqual(yield* noticed(id), [])
    const sent = line.sent.filter(({ name }) => name.startsWith("journal_append"))
    assert.deepStrictEqual(sent.map(({ name }) => name), ["journal_append"])
    assert.isTrue(
      sent.every(({ text, values }) => !/insert into notifications|"notices":/.test(`${text}${String(values[0])}`))
    )
  })

  test("are not made for subtasks, however they end", function*() {
    const commands = yield* TaskCommands
    const parent = yield* givenTask()
    const subtask = yield* givenSubtask(parent)
    const { query } = yield* Wire
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [subtask])
    yield* takeStep(subtask, failure)
    const other = yield* givenSubtask(parent, "running")
    yield* commands.cancel(other, "Cancelled.")
    assert.deepStrictEqual([yield* noticed(subtask), yield* noticed(other)], [[], []])
  })

  test("are made once when the answer of the commit is lost and the step is sent again", function*() {
    const journal = yield* Journal
    const line = yield* Wire
    const id = yield* givenTask()
    const held = yield* claim(id)
    let cuts = 2
    line.after = ({ name }) =>
      name.startsWith("journal_append") && cuts-- > 0
        ? new SqlError({ cause: { code: "08006" }, message: "connection lost" })
        : Effect.void
    yield* journal.append(stepAfter(held, failure))
    assert.deepStrictEqual(yield* kindsNoticed(id), ["failed"])
    assert.strictEqual(line.sent.filter(({ name }) => name === "journal_append_tell").length, 3)
  })

  test("are not made by a writer that is fenced out", function*() {
    const journal = yield* Journal
    const { query } = yield* Wire
    const id = yield* givenTask()
    const stale = yield* claim(id)
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [id])
    const held = yield* claim(id)
    assert.instanceOf(yield* Effect.flip(journal.append(stepAfter(stale, failure))), Fenced)
    assert.deepStrictEqual(yield* noticed(id), [])
    yield* journal.append(stepAfter(held, failure))
    assert.instanceOf(yield* Effect.flip(journal.append(stepAfter(held, failure))), Fenced)
    assert.deepStrictEqual(yield* kindsNoticed(id), ["failed"])
  })

  test("of a cancelled task are for its creator alone, and there is none when the task is archived", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask()
    const subtask = yield* givenSubtask(id, "running")
    yield* tasks.cancel(id, Option.some("changed my mind"))
    assert.deepStrictEqual(yield* noticed(id), [{ user_id: alice, kind: "cancelled", seq: 1 }])
    assert.deepStrictEqual(yield* noticed(subtask), [])
    const archived = yield* givenTask()
    yield* tasks.remove(archived)
    assert.strictEqual((yield* rowOf(archived)).status, "failed")
    assert.deepStrictEqual(yield* noticed(archived), [])
    const logged = (task: TaskId) =>
      Effect.map(tasks.find(task), ({ logs }) => logs.filter(({ event }) => event === "notification").length)
    assert.deepStrictEqual(yield* Effect.all([logged(id), logged(subtask), logged(archived)]), [1, 0, 0])
  })

  test("of a failure are read once the task is retried, by its assignee too, so that a second failure is the only open one", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const id = yield* givenTask()
    const other = yield* givenTask()
    yield* takeStep(other, failure)
    yield* takeStep(id, failure)
    yield* query("update tasks set assignee = 'bob' where id = $1", [id])
    yield* as(memberBob)(tasks.retry(id))
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [id])
    yield* takeStep(id, failure)
    const open = (task: TaskId) =>
      query("select seq, read_at is null as open from notifications where task_id = $1 order by seq", [task])
    assert.deepStrictEqual(yield* open(id), [{ seq: 2, open: false }, { seq: 5, open: true }])
    assert.deepStrictEqual(yield* open(other), [{ seq: 2, open: true }])
  })

  test("of a cancellation are read for who wanted it, and open for the creator of a task that its assignee cancels", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const [own, assigned, byCommand] = [yield* givenTask(), yield* givenTask(), yield* givenTask()]
    yield* query("update tasks set assignee = 'bob' where id = $1", [assigned])
    yield* as(memberAlice)(tasks.cancel(own, Option.none()))
    yield* as(memberBob)(tasks.cancel(assigned, Option.none()))
    yield* tasks.cancel(byCommand, Option.none(), alice)
    const open = (task: TaskId) =>
      query("select user_id, read_at is null as open from notifications where task_id = $1", [task])
    for (const task of [own, byCommand]) assert.deepStrictEqual(yield* open(task), [{ user_id: alice, open: false }])
    assert.deepStrictEqual(yield* open(assigned), [{ user_id: alice, open: true }])
  })
})

inWorld("A task that writes to its creator", (test) => {
  test("gives one notice each of its message, its question and its end, though its actor crashes before and after each", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const message = call("m", "ask_human", { question: "I begin.", wait_for_answer: false })
    const scripted = scriptedModel(
      dies("before the message"),
      asks(message),
      dies("after the message"),
      asks(call("q", "ask_human", { question: "Which one?" })),
      dies("after the answer"),
      says("Done.")
    )
    const id = yield* givenTask()
    yield* startWorker({ scripted, tools: [askHuman] })
    const hurry = query(
      "update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1 and wake_at > now()",
      [id]
    )
    const reaches = (status: string) => eventually(Effect.zipRight(hurry, rowOf(id)), (row) => row.status === status)
    yield* reaches("waiting_input")
    yield* tasks.answer(id, "This one", Option.none())
    yield* reaches("completed")
    assert.deepStrictEqual(yield* kindsNoticed(id), ["results", "results", "model"])
    const crashes = (yield* stepsOf(id)).filter(({ kind }) => kind === "crashed")
    assert.strictEqual(crashes.length, 3)
    const result = scripted.requests.at(-1)?.messages.find((entry) =>
      entry.role === "tool" && entry.tool_call_id === ToolCallId.make("m")
    )
    assert.strictEqual(result?.content, "The message was sent. No answer will come; go on.")
  })

  test("has sent its message when the process ends right after the commit, and does not send it again", function*() {
    const line = yield* Wire
    const scripted = scriptedModel(
      asks(call("m", "ask_human", { question: "I begin.", wait_for_answer: false })),
      says("Done.")
    )
    const id = yield* givenTask()
    const first = yield* makeEntities({ scripted, tools: [askHuman] })
    const gate = yield* Effect.makeLatch(false)
    line.after = ({ name }) => name === "journal_append_tell" ? gate.await : Effect.void
    const run = yield* Effect.fork(first.wake(yield* claim(id)))
    yield* eventually(kindsNoticed(id), (kinds) => kinds.length === 1)
    yield* Fiber.interrupt(run)
    yield* gate.open
    const second = yield* makeEntities({ scripted, tools: [askHuman] })
    assert.strictEqual(yield* second.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(yield* kindsNoticed(id), ["results", "model"])
  })
})
