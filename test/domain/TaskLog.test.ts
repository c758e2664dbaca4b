import { assert, describe, it } from "@effect/vitest"
import { TaskId, ToolCallId } from "@troupe/domain/Ids"
import type { ToolMessage } from "@troupe/domain/Message"
import type { JournalledStep, Step } from "@troupe/domain/Step"
import type { TaskType } from "@troupe/domain/Task"
import { logsOf } from "@troupe/domain/TaskLog"
import { outputsOf, statusOf } from "@troupe/domain/TaskOutcome"

const at = "2026-01-01T00:00:00.000Z"
const entry = (step: Step, seq = 3): JournalledStep => ({ seq, at, step })
const call = { id: ToolCallId.make("c1"), name: "read_file", arguments: "{\"path\":\"a\"}" }
const final: Step = {
  kind: "model",
  message: { role: "assistant", content: "Done", tool_calls: [] },
  tokens: [3, 4],
  millis: 5,
  end: "answered",
  files: [{ filename: "a.txt", size: 12 }]
}

describe("TaskLog", () => {
  it("makes one text output and one for each file of the step that ends a task", () => {
    assert.deepStrictEqual(
      outputsOf(entry(final)).map(({ content, filename, id, size, type }) => [
        id,
        type,
        content,
        filename,
        size
      ]),
      [["3.0", "text", "Done", null, null], ["3.1", "file", null, "a.txt", 12]]
    )
  })

  it("derives the status after each step that changes it", () => {
    const woken: Step = { kind: "woken", epoch: 1, reason: "first", runner: "h:1" }
    const steps: ReadonlyArray<Step> = [
      woken,
      final,
      { kind: "forced", reason: "limit", output: "x" },
      { kind: "failed", error: "x" },
      { kind: "cancelled", error: "x" },
      { kind: "retried" },
      { kind: "answered", by: null },
      { kind: "started", calls: [] },
      { kind: "results", results: [] },
      { kind: "results", results: [], asked: { id: call.id, question: "Which?" } },
      { kind: "results", results: [], awaiting: [call.id] }
    ]
    assert.deepStrictEqual(steps.map((step) => statusOf(entry(step))), [
      "running",
      "completed",
      "completed",
      "failed",
      "failed",
      "pending",
      "running",
      null,
      null,
      "waiting_input",
      "waiting_subagents"
    ])
  })

  it("has a line for each notification of a task, and none for those that nobody gets", () => {
    const of = (step: Step, type?: TaskType) =>
      logsOf(entry(step), type).filter(({ event }) => event === "notification").map((
        { data, message }
      ) => [message, data])
    assert.deepStrictEqual(of(final), [["Notified the user of the result", { kind: "completion" }]])
    assert.deepStrictEqual(
      of({ kind: "results", results: [], notices: ["Half way\nto go"], asked: { id: call.id, question: "Which?" } }),
      [
        ["Notified the user: Half way", { kind: "question", text: "Half way\nto go" }],
        ["Notified the user of the question", { kind: "question" }]
      ]
    )
    assert.deepStrictEqual(of({ kind: "failed", error: "No model" }), [
      ["Notified the user of the failure", { kind: "failure" }]
    ])
    assert.deepStrictEqual(of({ kind: "cancelled", error: "Archived.", silent: true }), [])
    assert.deepStrictEqual(of(final, "subtask"), [])
  })

  it("says which attempt follows the end of a process, and when", () => {
    const of = (step: Step) => logsOf(entry(step)).map(({ data, message }) => [message, data])
    assert.deepStrictEqual(of({ kind: "woken", epoch: 3, reason: "recovery", runner: "h:1", deaths: 2 }), [[
      "The process that ran the task ended during this step; the task resumed on h:1",
      { status: "running", reason: "recovery", epoch: 3, runner: "h:1", process_deaths: 2 }
    ]])
    const retryAt = Date.UTC(2025, 0, 2, 3, 4, 5)
    assert.deepStrictEqual(of({ kind: "crashed", reason: "It ended", retryAt, deaths: 2 }), [[
      "It ended; attempt 3 starts at 2025-01-02T03:04:05.000Z",
      { retry_at_ms: retryAt, process_deaths: 2 }
    ]])
  })

  it("has the right event and level for each kind of step", () => {
    const subtask = {
      call: call.id,
      task: TaskId.make("019a0000-0000-7000-8000-000000000001"),
      agent: "general"
    } as const
    const compacted = { kind: "compacted", because: "messages", upto: 2, tokens: [1, 1], millis: 1 } as const
    const of = (step: Step) => logsOf(entry(step)).map(({ event, level }) => `${level} ${event}`)
    const failed: ToolMessage = { role: "tool", tool_call_id: call.id, name: call.name, content: "Error: no such file" }
    const asking = { role: "assistant", content: "", tool_calls: [call] } as const
    assert.deepStrictEqual(of({ kind: "model", message: asking, tokens: [3, 4], millis: 5 }), [
      "info model",
      "info tool_call"
    ])
    assert.deepStrictEqual(of({ kind: "results", results: [{ message: failed, millis: 1 }] }), ["warning tool_result"])
    assert.deepStrictEqual(of({ kind: "woken", epoch: 1, reason: "first", runner: "h:1" }), ["info status"])
    assert.deepStrictEqual(of({ kind: "woken", epoch: 2, reason: "recovery", runner: "h:1" }), ["warning status"])
    assert.deepStrictEqual(of({ kind: "started", calls: [call.id] }), ["debug tool_call"])
    assert.deepStrictEqual(of({ kind: "dispatched", subtasks: [{ ...subtask, budget: null }] }), ["info subagent"])
    assert.deepStrictEqual(
      logsOf(entry({ kind: "dispatched", subtasks: [{ ...subtask, budget: null, name: "sales" }] }))[0]?.message,
      "Dispatched the agent sales as a subagent"
    )
    assert.deepStrictEqual(of({ kind: "results", results: [], notices: ["Half way"] }), ["info notification"])
    assert.deepStrictEqual(of({ kind: "results", results: [], awaiting: [call.id] }), ["info status"])
    assert.deepStrictEqual(of({ ...compacted, summary: "So far" }), ["info compaction"])
    assert.deepStrictEqual(of({ ...compacted, summary: null, failure: "No." }), ["warning compaction"])
    assert.deepStrictEqual(of({ kind: "forced", reason: "Limit", output: "x" }), [
      "warning budget",
      "info status",
      "info notification"
    ])
    assert.deepStrictEqual(of({ kind: "crashed", reason: "why", retryAt: 1 }), ["error error"])
    assert.deepStrictEqual(of({ kind: "crashed", reason: "why", retryAt: 1, deaths: 2 }), ["warning error"])
    assert.deepStrictEqual(of({ kind: "failed", error: "why" }), [
      "error error",
      "error status",
      "info notification"
    ])
    assert.deepStrictEqual(of({ kind: "cancelled", error: "why" }), ["warning status", "info notification"])
    assert.deepStrictEqual(of({ kind: "answered", by: null }), ["info status"])
    assert.deepStrictEqual(of({ kind: "steered", messages: [{ text: "Faster", by: null }] }), ["info status"])
  })
})
