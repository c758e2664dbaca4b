import { assert } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import type { Task, TaskStatus } from "@troupe/domain/Task"
import { Effect, Option } from "effect"
import { Journal } from "../../src/Task/Journal.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { type TaskFilter, Tasks } from "../../src/Task/Tasks.ts"
import { call } from "../support/ScriptedModel.ts"
import {
  alice,
  bob,
  claim,
  givenCompleted,
  givenSubtask,
  givenTask,
  givenWaiting,
  inWorld,
  request,
  rowsOf,
  stepAfter,
  Wire
} from "../support/TaskWorld.ts"

const nowhere = TaskId.make("019a0000-0000-7000-8000-00000000dead")

const everyone: TaskFilter = {
  status: Option.none(),
  creator: Option.none(),
  assignee: Option.none(),
  webhookType: Option.none(),
  taskType: Option.none(),
  parentTaskId: Option.none(),
  q: Option.none(),
  includeArchived: false,
  limit: 100,
  cursor: Option.none()
}

const listed = (filter: Partial<TaskFilter> = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.list({ ...everyone, ...filter })).pipe(
    Effect.map((found) => found.map(({ description }) => description))
  )

inWorld("Tasks.cancel, retry and answer", (test) => {
  test(
    "cancel a task with the reason that is given, and say plainly that a task is over",
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
    "answer a waiting task, of two answers one, and no other",
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
    "know nothing of a task that is not there",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const all: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string; readonly id: string }>> = [
        tasks.find(nowhere),
        tasks.subtasks(nowhere),
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
        assert.deepStrictEqual(yield* rowsOf(task), { tasks: 0, actors: 0, steps: 0, inbox: 0, idempotency_keys: 0 })
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

inWorld("Tasks.list", (test) => {
  test(
    "shows the newest first, page by page, each task once",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const ids = yield* Effect.forEach(
        Array.from({ length: 7 }, (_, index) => `Task ${index}`),
        (name) => givenTask(name)
      )
      const newestFirst = [...ids].sort().toReversed()
      const pages: Array<ReadonlyArray<TaskId>> = []
      let cursor = Option.none<TaskId>()
      while (pages.at(-1)?.length !== 0) {
        const page = yield* tasks.list({ ...everyone, limit: 3, cursor })
        pages.push(page.map(({ id }) => id))
        cursor = Option.orElse(Option.fromNullable(page.at(-1)?.id), () => cursor)
      }
      assert.deepStrictEqual(pages.map(({ length }) => length), [3, 3, 1, 0])
      assert.deepStrictEqual(pages.flat(), newestFirst)
    })
  )

  test(
    "filters by each status and by none",
    Effect.gen(function*() {
      const commands = yield* TaskCommands
      const { query } = yield* Wire
      // Whatever is due is claimed by those that are claimed on the way, so the pending one comes last.
      yield* givenCompleted("completed")
      const waiting = yield* givenWaiting()
      yield* query("update tasks set description = 'waiting_input' where id = $1", [waiting])
      const subagents = yield* givenWaiting()
      yield* query("update tasks set description = 'waiting_subagents' where id = $1", [subagents])
      yield* query(
        "update actors set status = 'waiting_subagents', question = null, last_tool_call_id = '[\"1\"]' where task_id = $1",
        [subagents]
      )
      yield* commands.cancel(yield* givenTask("failed"), "Cancelled.")
      yield* claim(yield* givenTask("running"))
      yield* givenTask("pending")
      const statuses: ReadonlyArray<TaskStatus> = [
        "pending",
        "running",
        "failed",
        "waiting_subagents",
        "waiting_input",
        "completed"
      ]
      for (const status of statuses) assert.deepStrictEqual(yield* listed({ status: Option.some(status) }), [status])
      assert.strictEqual((yield* listed()).length, 6)
    })
  )

  test(
    "filters by user, webhook, words, and every condition together",
    Effect.gen(function*() {
      const { query } = yield* Wire
      const tasks = yield* Tasks
      const cats = yield* givenTask("All about cats")
      yield* givenTask("All about dogs", bob)
      yield* tasks.submit(request("100% wool_socks", { title: Option.some("Sheep and CATS") }))
      yield* query("update tasks set assignee = 'carol', webhook_type = 'sms' where id = $1", [cats])
      const carol = UserId.make("carol")
      assert.deepStrictEqual(yield* listed({ creator: Option.some(bob) }), ["All about dogs"])
      assert.deepStrictEqual(yield* listed({ assignee: Option.some(carol) }), ["All about cats"])
      assert.deepStrictEqual(yield* listed({ webhookType: Option.some("sms") }), ["All about cats"])
      assert.deepStrictEqual(yield* listed({ q: Option.some("Cats") }), ["100% wool_socks", "All about cats"])
      assert.deepStrictEqual(yield* listed({ q: Option.some("0% w") }), ["100% wool_socks"])
      assert.deepStrictEqual(yield* listed({ q: Option.some("_") }), ["100% wool_socks"])
      assert.deepStrictEqual(yield* listed({ q: Option.some("%a%") }), [])
      const together = { creator: Option.some(alice), status: Option.some("pending" as const), q: Option.some("ABOUT") }
      assert.deepStrictEqual(yield* listed(together), ["All about cats"])
      assert.deepStrictEqual(yield* listed({ ...together, creator: Option.some(carol) }), [])
    })
  )

  test(
    "shows subtasks only when they are asked for, and a task's own newest first",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const id = yield* givenTask("Parent")
      const children = [yield* givenSubtask(id), yield* givenSubtask(id)]
      assert.deepStrictEqual(yield* listed(), ["Parent"])
      assert.deepStrictEqual(yield* listed({ taskType: Option.some("subtask") }), ["A part", "A part"])
      assert.deepStrictEqual(yield* listed({ parentTaskId: Option.some(id) }), ["A part", "A part"])
      assert.deepStrictEqual((yield* tasks.subtasks(id)).map((task) => task.id), children.toSorted().toReversed())
      assert.deepStrictEqual(yield* tasks.subtasks(children[0] ?? id), [])
    })
  )

  test(
    "shows summaries: no logs, outputs or webhook contents",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const { query } = yield* Wire
      const id = yield* givenCompleted()
      yield* query("update tasks set webhook_payload = '{\"a\": 1}', webhook_headers = '{\"b\": 2}' where id = $1", [
        id
      ])
      const whole = yield* tasks.find(id)
      assert.deepInclude(whole, { webhook_payload: { a: 1 }, webhook_headers: { b: 2 } })
      assert.isNotEmpty(whole.logs)
      const summary: Task = { ...whole, logs: [], outputs: [], webhook_payload: null, webhook_headers: null }
      assert.deepStrictEqual(yield* tasks.list(everyone), [summary])
    })
  )
})

inWorld("Tasks.find, messages and workerStatus", (test) => {
  test(
    "show what the steps of the task came to",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const journal = yield* Journal
      const id = yield* givenTask("Look it up")
      const held = yield* claim(id)
      const look = call("c1", "look", { where: "there" })
      const asked = stepAfter(held, {
        kind: "model",
        message: { role: "assistant", content: "I look first.", tool_calls: [look] },
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
        usage: { input_tokens: 10, output_tokens: 5, model_calls: 1, tool_calls: 0 },
        checkpoint_thread_id: `task-${id}`,
        celery_task_id: `${id}.1`
      })
      assert.deepStrictEqual(running.logs.map(({ id, event }) => [id, event]), [
        ["1.0", "status"],
        ["2.0", "model"],
        ["2.1", "tool_call"]
      ])
      assert.deepStrictEqual((yield* tasks.messages(id)).map(({ role }) => role), ["user", "assistant"])

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
    "forget the saved-state thread of a completed task",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const task = yield* tasks.find(yield* givenCompleted())
      assert.deepInclude(task, { status: "completed", progress: 100, checkpoint_thread_id: null, error: null })
      assert.isNotNull(task.completed_at)
    })
  )

  test(
    "tell where a task runs, and when it will",
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
