import { assert } from "@effect/vitest"
import { TaskId, ToolCallId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Journal } from "../../src/Task/Journal.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { bob, claim, givenCompleted, givenSubtask, givenTask, givenWaiting, stepAfter } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

const nowhere = TaskId.make("019a0000-0000-7000-8000-00000000dead")

inWorld("Tasks.cancel, retry and answer", (test) => {
  test(
    "cancel a task with the reason that is given, and refuse one that is over",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const [given, none] = [yield* givenTask(), yield* givenWaiting()]
      assert.deepInclude(yield* tasks.cancel(given, Option.some("too slow")), {
        status: "failed",
        error: "Cancelled: too slow"
      })
      assert.deepInclude(yield* tasks.cancel(none, Option.none()), { status: "failed", error: "Cancelled." })
      for (const id of [given, yield* givenCompleted()]) {
        const error = yield* Effect.flip(tasks.cancel(id, Option.none()))
        assert.deepInclude(error, { _tag: "TaskStateConflict", id, status: (yield* tasks.find(id)).status })
      }
    })
  )

  test(
    "retry a failed task and no other",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const id = yield* givenTask()
      assert.deepInclude(yield* Effect.flip(tasks.retry(id)), { _tag: "TaskStateConflict", status: "pending" })
      yield* tasks.cancel(id, Option.none())
      assert.deepInclude(yield* tasks.retry(id), { status: "pending", error: null, completed_at: null })
    })
  )

  test(
    "answer a waiting task, with one of two answers, and no other task",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const id = yield* givenWaiting("Which one?")
      assert.deepInclude(yield* tasks.find(id), {
        status: "waiting_input",
        question: "Which one?",
        last_tool_call_id: "ask1",
        checkpoint_thread_id: `task-${id}`
      })
      const exits = yield* Effect.all([
        Effect.either(tasks.answer(id, "This", Option.some(bob))),
        Effect.either(tasks.answer(id, "That", Option.none()))
      ], { concurrency: "unbounded" })
      const [won, lost] = exits[0]._tag === "Right" ? exits : exits.toReversed()
      assert.deepInclude(won, { _tag: "Right" })
      assert.isTrue(won?._tag === "Right" && won.right.status === "running" && won.right.question === null)
      assert.isTrue(lost?._tag === "Left" && lost.left._tag === "TaskStateConflict" && lost.left.status === "running")
      for (const task of [yield* givenTask(), yield* givenCompleted()]) {
        assert.deepInclude(yield* Effect.flip(tasks.answer(task, "Unasked", Option.none())), {
          _tag: "TaskStateConflict"
        })
      }
    })
  )

  test(
    "fail for an unknown task",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const all: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string; readonly id?: string }>> = [
        tasks.find(nowhere),
        tasks.subtasks(nowhere, { limit: 1, cursor: Option.none() }),
        tasks.remove(nowhere),
        tasks.answer(nowhere, "Hello", Option.none()),
        tasks.cancel(nowhere, Option.none()),
        tasks.retry(nowhere),
        tasks.messages(nowhere),
        tasks.events(nowhere, Option.none()),
        tasks.workerStatus(nowhere)
      ]
      for (const one of all) assert.deepInclude(yield* Effect.flip(one), { _tag: "TaskNotFound", id: nowhere })
    })
  )
})

inWorld("Tasks.remove", (test) => {
  test(
    "archives a task the first time, cancelling what is not over, and removes every row of it the second",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const id = yield* givenWaiting()
      const child = yield* givenSubtask(id, "running")
      yield* tasks.remove(id)
      const archived = yield* tasks.find(id)
      assert.isNotNull(archived.archived_at)
      assert.deepInclude(archived, { status: "failed", error: "Cancelled: the task was archived." })
      assert.deepInclude(yield* tasks.find(child), { status: "failed" })
      assert.deepStrictEqual(yield* listed(), [])
      assert.deepStrictEqual(yield* listed({ includeArchived: true }), ["Do it"])

      yield* tasks.remove(id)
      for (const task of [id, child]) {
        assert.deepInclude(yield* Effect.flip(tasks.find(task)), { _tag: "TaskNotFound" })
        assert.deepStrictEqual(yield* rowsOf(task), {
          tasks: 0,
          actors: 0,
          steps: 0,
          inbox: 0,
          idempotency_keys: 0,
          notifications: 0
        })
      }
      assert.deepInclude(yield* Effect.flip(tasks.remove(id)), { _tag: "TaskNotFound" })
    })
  )

  test(
    "leaves the outcome of a completed task as it is",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const id = yield* givenCompleted("Do it", "The answer")
      yield* tasks.remove(id)
      const archived = yield* tasks.find(id)
      assert.deepInclude(archived, { status: "completed", error: null, progress: 100 })
      assert.deepStrictEqual(archived.outputs.map(({ content }) => content), ["The answer"])
    })
  )
})

inWorld("Tasks.find, messages and workerStatus", (test) => {
  test(
    "show the outcome of the task's steps",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const journal = yield* Journal
      const id = yield* givenTask("Look it up")
      const held = yield* claim(id)
      const look = call("c1", "look", { where: "there" })
      const asked = stepAfter(held, {
        kind: "model",
        message: {
          role: "assistant",
          content: "I look first.",
          tool_calls: [look],
          opaque: { kept: "for the provider" }
        },
        tokens: [10, 5],
        millis: 3
      })
      yield* journal.append(asked)
      const running = yield* tasks.find(id)
      assert.deepInclude(running, {
        status: "running",
        plan: "I look first.",
        iteration_count: 1,
        tokens_used: 15,
        usage: { input_tokens: 10, output_tokens: 5, model_calls: 1, tool_calls: 0, cost: null },
        checkpoint_thread_id: `task-${id}`,
        celery_task_id: `${id}.1`
      })
      assert.deepStrictEqual(running.logs.map(({ id, event }) => [id, event]), [
        ["1.0", "status"],
        ["2.0", "model"],
        ["2.1", "tool_call"]
      ])
      assert.deepStrictEqual(yield* tasks.messages(id), [
        { role: "user", content: "Look it up" },
        { role: "assistant", content: "I look first.", tool_calls: [look] }
      ])

      yield* journal.append({
        ...asked,
        seq: 3,
        step: {
          kind: "results",
          results: [{ message: { role: "tool", tool_call_id: look.id, name: "look", content: "Nothing" }, millis: 1 }]
        }
      })
      assert.deepStrictEqual((yield* tasks.messages(id)).map(({ content, role }) => [role, content]), [
        ["user", "Look it up"],
        ["assistant", "I look first."],
        ["tool", "Nothing"]
      ])
    })
  )

  test(
    "show the summary in place of the older messages, and all of them when asked for the full conversation",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const journal = yield* Journal
      const id = yield* givenTask("Look it up")
      const asked = stepAfter(yield* claim(id), {
        kind: "model",
        message: { role: "assistant", content: "I look.", tool_calls: [call("c1", "look")] },
        tokens: [10, 5],
        millis: 3
      })
      const result = { role: "tool", tool_call_id: ToolCallId.make("c1"), name: "look", content: "Nothing" } as const
      yield* journal.append(asked)
      yield* journal.append({ ...asked, seq: 3, step: { kind: "results", results: [{ message: result, millis: 1 }] } })
      yield* journal.append({
        ...asked,
        seq: 4,
        step: { kind: "compacted", because: "messages", upto: 1, summary: "It is wanted.", tokens: [1, 1], millis: 1 }
      })
      const rolesAndTexts = (full?: boolean) =>
        Effect.map(tasks.messages(id, full), (all) => all.map(({ content, role }) => [role, content]))
      const recent = [["assistant", "I look."], ["tool", "Nothing"]]
      assert.deepStrictEqual(yield* rolesAndTexts(), [["system", "It is wanted."], ...recent])
      assert.deepStrictEqual(yield* rolesAndTexts(true), [["user", "Look it up"], ...recent])
    })
  )

  test(
    "show no saved-state thread of a completed task",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const task = yield* tasks.find(yield* givenCompleted())
      assert.deepInclude(task, { status: "completed", progress: 100, checkpoint_thread_id: null, error: null })
      assert.isNotNull(task.completed_at)
    })
  )

  test(
    "show where a task runs, and when it will",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const { query } = yield* Wire
      const id = yield* givenTask()
      const pending = yield* tasks.workerStatus(id)
      assert.deepInclude(pending, { task_id: id, status: "pending", active: false, runner: null, queue_job_id: null })
      assert.isNotNull(pending.next_wakeup_at)
      assert.isNull(pending.last_step_at)

      yield* claim(id)
      const running = yield* tasks.workerStatus(id)
      assert.deepInclude(running, {
        status: "running",
        active: true,
        runner: { address: "127.0.0.1:34431" },
        queue_job_id: `${id}.1`,
        next_wakeup_at: null
      })
      assert.isNotNull(running.last_step_at)

      yield* query("update actors set runner = '10.9.9.9:1' where task_id = $1", [id])
      assert.deepInclude(yield* tasks.workerStatus(id), { status: "running", active: false, runner: null })

      const waiting = yield* givenWaiting()
      assert.deepInclude(yield* tasks.workerStatus(waiting), {
        status: "waiting_input",
        active: false,
        runner: null,
        next_wakeup_at: null
      })
    })
  )
})
