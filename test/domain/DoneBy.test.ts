import { assert, describe, it } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { outlineOfStep, viewOfStep } from "@troupe/domain/TaskStepView"

const entryOf = (step: Step) => ({ seq: 3, at: "2026-01-01T00:00:00.000Z", step })
const lineOf = (step: Step) => logsOf(entryOf(step))[0]

const ada = { by: "u1", name: "Ada", via: "chat" } as const
const shown = { user_id: "u1", name: "Ada", via: "chat" } as const

describe("Who answered, wrote or cancelled", () => {
  it("is in the log line and in its data, by name and way", () => {
    const answered = lineOf({ kind: "answered", ...ada })
    assert.strictEqual(answered?.message, "Ada answered in the chat")
    assert.deepInclude(answered?.data, { status: "running", by: "u1", answered_by: shown })
    const steered = lineOf({ kind: "steered", messages: [{ text: "Shorter\nplease", ...ada, via: "email" }] })
    assert.strictEqual(steered?.message, "Ada sent a message by mail: Shorter")
    assert.deepInclude(steered?.data, { sent_by: { ...shown, via: "email" } })
    const cancelled = lineOf({ kind: "cancelled", error: "Cancelled: too slow", ...ada, via: "console" })
    assert.strictEqual(cancelled?.message, "Ada cancelled the task in the console: too slow")
    assert.deepInclude(cancelled?.data, { cancelled_by: { ...shown, via: "console" } })
  })

  it("says what was decided about a call that needed approval", () => {
    const approved = lineOf({ kind: "answered", ...ada, decision: "approved" })
    assert.strictEqual(approved?.message, "Ada approved the call in the chat")
    assert.deepInclude(approved?.data, { answered_by: shown, decision: "approved" })
    assert.strictEqual(
      lineOf({ kind: "answered", ...ada, via: "command_line", decision: "denied" })?.message,
      "Ada denied the call on the command line"
    )
  })

  it("is as much as an earlier version has kept", () => {
    assert.strictEqual(lineOf({ kind: "answered", by: "u1" })?.message, "A user answered")
    assert.deepInclude(lineOf({ kind: "answered", by: "u1" })?.data, {
      answered_by: { user_id: "u1", name: null, via: null }
    })
    assert.strictEqual(lineOf({ kind: "cancelled", error: "Cancelled: too slow" })?.message, "Cancelled: too slow")
  })

  it("is in the step, unless several persons wrote, and only for those who may read the task's content", () => {
    const entry = entryOf({ kind: "answered", ...ada })
    assert.deepStrictEqual(viewOfStep(entry).by, shown)
    assert.isNull(outlineOfStep(entry).by)
    const bob = { by: "u2", name: "Bob", via: "email" } as const
    const two = [{ text: "One", ...ada }, { text: "Two", ...bob }]
    assert.isNull(viewOfStep(entryOf({ kind: "steered", messages: two })).by)
    assert.deepStrictEqual(viewOfStep(entryOf({ kind: "steered", messages: two.slice(0, 1) })).by, shown)
  })
})
