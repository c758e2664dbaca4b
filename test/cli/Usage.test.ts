import { assert, describe, it } from "@effect/vitest"
import { makeTextStyle } from "@troupe/cli/Format"
import { usageText } from "@troupe/cli/TeamCommands"
import { UserId } from "@troupe/domain/Ids"
import { noUsage } from "@troupe/domain/Usage"

const used = { ...noUsage, tasks: 2, unpriced_tasks: 0, input_tokens: 1_200, model_calls: 2, cost: 0.5 }

describe("troupe usage", () => {
  it("shows the total, and a line for each day", () => {
    const text = usageText(
      { user_id: UserId.make("ann"), ...used, days: [{ date: "2026-01-02", ...used }] },
      makeTextStyle(false)
    )
    assert.match(text, /^Tasks +2\nInput +1,200 tokens\n[^]+Cost +0\.5000\n\nDAY +TASKS/)
    assert.match(text, /\n2026-01-02 +2 +1,200 +0 +0\.5000\n$/)
  })
})
