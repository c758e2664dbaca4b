import { assert, describe, it } from "@effect/vitest"
import type { JournalledStep } from "@troupe/domain/Step"
import { outlineOfStep, viewOfStep } from "@troupe/domain/TaskStepView"

const entry: JournalledStep = {
  seq: 2,
  at: "2026-01-01T00:00:00.000Z",
  step: {
    kind: "model",
    message: { role: "assistant", content: "It is Friday.", tool_calls: [] },
    tokens: [1, 1],
    millis: 1,
    thinking: "They want it short.",
    end: "answered"
  }
}

describe("The thinking of a step", () => {
  it("is apart from its text, and cut as its other texts are in a list", () => {
    assert.deepInclude(viewOfStep(entry), { text: "It is Friday.", thinking: "They want it short.", truncated: false })
    assert.deepInclude(viewOfStep(entry, 13), { text: "It is Friday.", thinking: "They want it ", truncated: true })
  })

  it("is for those who may read the task's content", () => {
    assert.deepInclude(outlineOfStep(entry), { text: null, thinking: null })
  })
})
