import { assert, describe, it } from "@effect/vitest"
import { makeTextStyle } from "@troupe/cli/Format"
import { usageText } from "@troupe/cli/TeamCommands"
import { UserId } from "@troupe/domain/Ids"
import { noUsage } from "@troupe/domain/Usage"

const used = { ...noUsage, tasks: 2, unpriced_tasks: 0, input_tokens: 1_200, model_calls: 2, cost: 0.5 }

describe("troupe usage", () => {
  it("shows the total, and a line for each day", () => {
    const text = usageText(
      { user_id: UserId.make("ann"), ...used, days: [{ date: "2026-01-02", ...used }], spending: [] },
      makeTextStyle(false)
    )
    assert.match(text, /^Tasks +2\nInput +1,200 tokens\n[^]+Cost +0\.5000\n\nDAY +TASKS/)
    assert.notInclude(text, "MODEL")
    assert.match(text, /\n2026-01-02 +2 +1,200 +0 +0\.5000\n$/)
  })

  it("shows the money by day, agent, model and source", () => {
    const spent = {
      date: "2026-01-02",
      user_id: "ann",
      agent: null,
      model: "gpt-4.1",
      source: "chat",
      calls: 3,
      unpriced_calls: 1,
      cost: 0.25
    }
    const text = usageText(
      { user_id: UserId.make("ann"), ...used, days: [], spending: [spent] },
      makeTextStyle(false)
    )
    assert.match(
      text,
      /\nDAY +AGENT +MODEL +SOURCE +CALLS +COST\n2026-01-02 +- +gpt-4\.1 +chat +3 \(1 without a price\) +0\.2500\n$/
    )
  })
})
