import { assert, describe, it } from "@effect/vitest"
import { notificationsOf } from "@troupe/domain/Notification"
import type { Modelled, Step } from "@troupe/domain/Step"
import { logsOf } from "@troupe/domain/TaskLog"
import { cutShortBy, endedByOf, outcomeOf } from "@troupe/domain/TaskOutcome"
import { viewOfStep } from "@troupe/domain/TaskStepView"

const modelled: Modelled = {
  kind: "model",
  message: { role: "assistant", content: "Half of it.", tool_calls: [] },
  tokens: [1, 1],
  millis: 1
}
const note = "The limit of 10 model calls was reached."
const closed = "The token budget of 4000 allowed one more call."

describe("Why a task ended", () => {
  it("is an answer, a limit, the budget, a cancel or a failure, and nothing before the end", () => {
    const steps: ReadonlyArray<readonly [Step, ReturnType<typeof endedByOf>]> = [
      [modelled, null],
      [{ kind: "retried" }, null],
      [{ ...modelled, end: "answered" }, "answer"],
      [{ ...modelled, end: "forced", endedBy: "limit", note }, "limit"],
      [{ ...modelled, end: "forced", endedBy: "budget", note: "Used up." }, "budget"],
      [{ ...modelled, end: "answered", endedBy: "budget", note: closed }, "budget"],
      [{ kind: "forced", endedBy: "budget", reason: "Used up.", output: "" }, "budget"],
      [{ kind: "cancelled", error: "Cancelled." }, "cancelled"],
      [{ kind: "failed", error: "No model" }, "failure"]
    ]
    for (const [step, endedBy] of steps) assert.strictEqual(endedByOf(step), endedBy, JSON.stringify(step))
  })

  it("is known of tasks that an earlier version completed at a limit", () => {
    const usedUp = "The token budget of 4000 is used up: 12 are left, and another model call takes about 900."
    const warning = { kind: "last", budget: 4_000, left: 900 } as const
    assert.strictEqual(endedByOf({ kind: "forced", reason: note, output: "" }), "limit")
    assert.strictEqual(endedByOf({ kind: "forced", reason: usedUp, output: "" }), "budget")
    assert.strictEqual(endedByOf({ ...modelled, end: "forced", note }), "limit")
    assert.strictEqual(endedByOf({ ...modelled, end: "forced" }), "limit")
    assert.strictEqual(endedByOf({ ...modelled, end: "forced", note: usedUp }), "budget")
    assert.strictEqual(endedByOf({ ...modelled, end: "answered", warning }), "budget")
    assert.strictEqual(cutShortBy({ ...modelled, end: "answered", warning })?.by, "budget")
  })

  it("is part of the outcome to remember where it was a limit", () => {
    assert.strictEqual(
      outcomeOf({ ...modelled, end: "forced", endedBy: "limit", note }),
      "Stopped at its limit; so far:\n\nHalf of it."
    )
    assert.strictEqual(outcomeOf({ ...modelled, end: "answered" }), "Half of it.")
  })

  it("is in the log, the timeline and the notification", () => {
    const step: Modelled = { ...modelled, end: "answered", endedBy: "budget", note: closed }
    const entry = { seq: 4, at: "2026-01-01T00:00:00.000Z", step }
    const lines = logsOf(entry).filter(({ event }) => event === "budget" || event === "status")
    assert.deepStrictEqual(lines.map(({ data, event, message }) => [event, message, data]), [
      ["budget", closed, null],
      [
        "status",
        "The task completed at its token budget, with its results so far",
        { status: "completed", forced: false, ended_by: "budget" }
      ]
    ])
    assert.deepInclude(viewOfStep(entry), { ended_by: "budget", title: closed, status: "completed" })
    assert.deepStrictEqual(notificationsOf(step), [
      { kind: "completion", body: `Cut short: ${closed}\n\nHalf of it.`, end: { by: "budget", detail: null } }
    ])
  })
})
