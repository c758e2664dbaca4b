import { assert } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { claim, givenCompleted, givenTask, givenWaiting, stepAfter } from "../support/GivenTasks.ts"
import { call } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

inWorld("Tasks.find, messages and workerStatus", (test) => {
  test("show the outcome of the task's steps", function*() {
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
    const used = { input_tokens: 10, output_tokens: 5, model_calls: 1, tool_calls: 0, cost: null }
    assert.deepInclude(running, {
      status: "running",
      plan: "I look first.",
      iteration_count: 1,
      tokens_used: 15,
      usage: { ...used, total: used },
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

  test("show the summary in place of the older messages, and all of them when asked for the full conversation", function*() {
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

  test("show no saved-state thread of a completed task", function*() {
    const tasks = yield* Tasks
    const task = yield* tasks.find(yield* givenCompleted())
    assert.deepInclude(task, { status: "completed", progress: 100, checkpoint_thread_id: null, error: null })
    assert.isNotNull(task.completed_at)
  })

  test("show where a task runs, and when it will", function*() {
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
})
