import { assert, describe, it } from "@effect/vitest"
import { makeTextStyle } from "@troupe/cli/Format"
import { changedLimits, limitsText } from "@troupe/cli/LimitCommands"
import { noLimits } from "@troupe/domain/Spending"

const limits = { ...noLimits, team: { day: 20, month: null }, agents: { sales: { day: null, month: 5 } } }

describe("troupe limits", () => {
  it("shows each limit with what is spent of it, and the calls without a price", () => {
    const text = limitsText(
      {
        ...limits,
        spent: { team: { day: 1.5, month: 3 }, people: { ann: { day: 1.5, month: 3 } }, agents: {} },
        unpriced_calls: { day: 0, month: 2 }
      },
      makeTextStyle(false)
    )
    assert.match(
      text,
      /^OF +TODAY +LIMIT +THIS MONTH +LIMIT\nteam +1\.5000 +20 +3\.0000 +-\nperson ann +1\.5000 +- +3\.0000 +-\n/
    )
    assert.match(text, /\nagent sales +0\.0000 +- +0\.0000 +5\n/)
    assert.include(text, "Calls without a price count as 0: 0 today, 2 in this month.")
  })

  it("changes the named limit and leaves the others", () => {
    assert.deepStrictEqual(changedLimits(limits, "team", { month: 100 }), { ...limits, team: { day: 20, month: 100 } })
    assert.deepStrictEqual(changedLimits(limits, "person", { day: 2 })?.person, { day: 2, month: null })
    assert.deepStrictEqual(changedLimits(limits, "agent:team", { day: 1 })?.agents, {
      ...limits.agents,
      team: { day: 1, month: null }
    })
    assert.deepStrictEqual(changedLimits(limits, "agent:sales", { month: null })?.agents, {})
    assert.isNull(changedLimits(limits, "sales", { day: 1 }))
  })
})
