import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import type { JournalledStep, Step } from "@troupe/domain/Step"
import { logsOf, outputsOf, statusOf } from "@troupe/domain/TaskLog"

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
  it("derives a line for the model and one for each call, with ids in order", () => {
    const logs = logsOf(entry({
      kind: "model",
      message: { role: "assistant", content: "", tool_calls: [call] },
      tokens: [3, 4],
      millis: 5
    }))
    assert.deepStrictEqual(logs.map((log) => [log.id, log.event]), [["3.0", "model"], ["3.1", "tool_call"]])
  })

  it("marks an error result as a warning", () => {
    const logs = logsOf(entry({
      kind: "results",
      results: [{
        message: { role: "tool", tool_call_id: call.id, name: "read_file", content: "Error: no such file" },
        millis: 1
      }]
    }))
    assert.deepStrictEqual(logs.map((log) => [log.level, log.event]), [["warning", "tool_result"]])
  })

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

  it("tells the status after each step that changes it", () => {
    const woken: Step = { kind: "woken", epoch: 1, reason: "first", runner: "h:1" }
    const steps: ReadonlyArray<Step> = [
      woken,
      final,
      { kind: "forced", reason: "limit", output: "x" },
      { kind: "failed", error: "x" },
      { kind: "cancelled", error: "x" },
      { kind: "retried" },
      { kind: "answered", by: null },
      { kind: "started", calls: [] }
    ]
    assert.deepStrictEqual(steps.map((step) => statusOf(entry(step))), [
      "running",
      "completed",
      "completed",
      "failed",
      "failed",
      "pending",
      "running",
      null
    ])
  })
})
