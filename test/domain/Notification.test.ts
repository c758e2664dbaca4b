import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { notificationsOf } from "@troupe/domain/Notification"
import type { Modelled, Step } from "@troupe/domain/Step"
import { statusOf } from "@troupe/domain/TaskOutcome"

const modelled: Modelled = {
  kind: "model",
  message: { role: "assistant", content: "Four.", tool_calls: [] },
  tokens: [1, 1],
  millis: 1
}
const asked = { id: ToolCallId.make("q"), question: "Which?" }

describe("notificationsOf", () => {
  it("announces a result, and a failure with its reason", () => {
    assert.deepStrictEqual(notificationsOf({ ...modelled, end: "answered" }), [
      { kind: "completion", body: "Four.", end: { by: "answer", detail: null } }
    ])
    assert.deepStrictEqual(notificationsOf({ ...modelled, end: "forced", note: "The limit.", output: "So far." }), [
      { kind: "completion", body: "Cut short: The limit.\n\nSo far.", end: { by: "limit", detail: null } }
    ])
    assert.deepStrictEqual(notificationsOf({ kind: "forced", reason: "Too long.", output: "Half." }), [
      { kind: "completion", body: "Cut short: Too long.\n\nHalf.", end: { by: "limit", detail: null } }
    ])
    const files = [{ filename: "a.md", size: 1 }, { filename: "gone.md", size: null }]
    for (
      const step of [
        { ...modelled, end: "answered", files } as const,
        { kind: "forced", reason: "Over.", output: "Four.", files } as const
      ]
    ) {
      assert.deepInclude(notificationsOf(step)[0], { files: ["a.md", "gone.md"] })
    }
    assert.deepStrictEqual(notificationsOf({ kind: "failed", error: "No model" }), [{
      kind: "failure",
      body: "No model",
      end: { by: "failure", detail: null }
    }])
    assert.deepStrictEqual(notificationsOf({ kind: "cancelled", error: "Cancelled." }), [
      { kind: "failure", body: "Cancelled.", end: { by: "cancelled", detail: null } }
    ])
  })

  it("announces messages, then the question", () => {
    assert.deepStrictEqual(notificationsOf({ kind: "results", results: [], notices: ["Half way", "Nearly"], asked }), [
      { kind: "question", body: "Half way" },
      { kind: "question", body: "Nearly" },
      { kind: "question", body: "Which?", asked: { call: asked.id, choices: [] } }
    ])
    assert.deepStrictEqual(notificationsOf({ kind: "results", results: [], asked: { ...asked, choices: ["A"] } }), [
      { kind: "question", body: "Which?\n- A", asked: { call: asked.id, choices: ["A"] } }
    ])
    // As earlier versions have journalled it.
    const earlier = { ...asked, question: "Which?\n- A", choices: ["A"] }
    assert.strictEqual(
      notificationsOf({ kind: "results", results: [], asked: earlier })[0]?.body,
      "Which?\n- A"
    )
  })

  it("announces no other step", () => {
    const silent: ReadonlyArray<Step> = [
      modelled,
      { kind: "woken", epoch: 1, reason: "first", runner: "here" },
      { kind: "started", calls: [] },
      { kind: "results", results: [] },
      { kind: "answered", by: null },
      { kind: "retried" },
      { kind: "crashed", reason: "why", retryAt: 1 }
    ]
    for (const step of silent) {
      assert.deepStrictEqual(notificationsOf(step), [], step.kind)
      assert.notInclude(["completed", "failed", "waiting_input"], statusOf({ seq: 1, at: "", step }))
    }
  })
})
