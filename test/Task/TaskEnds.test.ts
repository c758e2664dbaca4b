import { assert } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import type { Modelled, Step } from "@troupe/domain/Step"
import type { EndedBy } from "@troupe/domain/Task"
import { Chunk, Effect, Option, Stream } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { taskReport, taskSummary } from "../../src/Mcp/TaskReport.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { tool } from "../Agent/loop.ts"
import { alice, bob, claim, givenSubtask, givenTask, takeStep } from "../support/GivenTasks.ts"
import { asks, call, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

const answer: Modelled = {
  kind: "model",
  message: { role: "assistant", content: "So far.", tool_calls: [] },
  tokens: [1, 1],
  millis: 1
}
const ends: ReadonlyArray<readonly [EndedBy, Step]> = [
  ["answer", { ...answer, end: "answered" }],
  ["limit", {
    kind: "forced",
    endedBy: "limit",
    limit: 10,
    reason: "The limit of 10 model calls was reached.",
    output: "So far."
  }],
  ["budget", {
    ...answer,
    end: "answered",
    endedBy: "budget",
    note: "The token budget of 4000 allowed one more call."
  }],
  ["failure", { kind: "failed", error: "No model" }]
]

const labels: Readonly<Record<EndedBy, string | null>> = {
  answer: null,
  limit: "Stopped at its limit of 10 model calls",
  budget: "Stopped at its budget",
  cancelled: "Cancelled",
  failure: "Failed"
}

inWorld("What ended a task", (test) => {
  test("is in the task, in lists, in the events and, at a limit, in the notification's title", function*() {
    const tasks = yield* Tasks
    const notifications = yield* Notifications
    for (const [endedBy, step] of ends) {
      const id = yield* givenTask("Report")
      assert.isNull((yield* tasks.find(id)).ended_by)
      yield* takeStep(id, step)
      const found = yield* tasks.find(id)
      assert.strictEqual(found.ended_by, endedBy)
      assert.strictEqual((yield* tasks.findWithoutLogs(id)).ended_by, endedBy)
      const { items: [listed] } = yield* tasks.list({ limit: 1 })
      const end = { ended_by: endedBy, end_label: labels[endedBy] }
      assert.deepInclude(listed, { id, ...end })
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(yield* tasks.events(id, Option.none())))
      assert.deepInclude(events.at(-1), { _tag: "status", ...end })
      assert.deepInclude(taskSummary(found), end)
      assert.deepInclude(taskReport(found, null).content, { ended_by: endedBy })
      const [notification] = yield* notifications.list(alice, { unread: true, limit: 1, cursor: Option.none() })
      const titles = { limit: `${labels.limit}: Report`, budget: `${labels.budget}: Report` }
      assert.deepInclude(notification, {
        task_id: id,
        ended_by: endedBy,
        title: endedBy === "limit" || endedBy === "budget" ? titles[endedBy] : "Report"
      })
    }
  })

  test("is a cancel, of its subtasks too, until it is retried", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask()
    const subtask = yield* givenSubtask(id)
    assert.strictEqual((yield* tasks.cancel(id, Option.none())).ended_by, "cancelled")
    assert.strictEqual((yield* tasks.find(subtask)).ended_by, "cancelled")
    assert.isNull((yield* tasks.retry(id)).ended_by)
  })

  test("names the person who cancelled it, but not the operator, who has no name", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    yield* query(
      "insert into users (id, name) values ($1, 'Bob Brown') on conflict (id) do update set name = excluded.name",
      [bob]
    )
    yield* query("insert into users (id) values ($1) on conflict do nothing", [defaultUser])
    const people = [[bob, "Cancelled by Bob Brown"], [defaultUser, "Cancelled"]] as const
    for (const [by, label] of people) {
      const id = yield* givenTask()
      assert.strictEqual((yield* tasks.cancel(id, Option.some("too late"), by)).end_label, label)
      assert.deepInclude((yield* tasks.list({ limit: 1 })).items[0], { id, end_label: label })
      assert.deepInclude(yield* tasks.retry(id), { ended_by: null, end_label: null })
    }
  })

  test("is known of tasks that ended before it was stored, in lists too", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    for (const [endedBy, step] of ends) {
      const id = yield* givenTask("Earlier")
      yield* takeStep(id, step)
      yield* query("update actors set ended_by = null where task_id = $1", [id])
      assert.strictEqual((yield* tasks.find(id)).ended_by, endedBy)
      assert.deepInclude((yield* tasks.list({ limit: 1 })).items[0], { id, ended_by: endedBy })
    }
  })

  test("is a step of its journal where it ran into its limit of iterations", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask()
    const limits = { soft: 1, hard: 1, recursion: 25 }
    const scripted = scriptedModel(asks(call("c1", "look")))
    const entities = yield* makeEntities({
      scripted,
      tools: [tool("look", "read", Effect.succeed("nothing there"))],
      limits: { parent: limits, subagent: limits }
    })
    yield* entities.wake(yield* claim(id))
    const task = yield* tasks.find(id)
    assert.deepInclude(task, { status: "completed", ended_by: "limit" })
    const note =
      "The limit of 1 model call was reached before the agent had finished: what it wanted to do next was not done."
    assert.deepStrictEqual(
      task.logs.slice(-3, -1).map(({ data, message }) => [message, data]),
      [
        [note, null],
        ["The task completed at its limit, with its results so far", {
          status: "completed",
          forced: true,
          ended_by: "limit"
        }]
      ]
    )
  })
})
