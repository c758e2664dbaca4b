import { assert, describe, it } from "@effect/vitest"
import { amountFault, limitRows, limitsOf } from "../../packages/console/src/screens/system/LimitFields.ts"

const report = {
  team: { day: 20, month: null },
  person: { day: null, month: null },
  agents: { gone: { day: null, month: 5 } },
  spent: { team: { day: 1, month: 2 }, people: { ann: { day: 1, month: 2 } }, agents: { sales: { day: 1, month: 1 } } },
  unpriced_calls: { day: 0, month: 0 }
}

describe("The form of spending limits", () => {
  it("has the team, each person and every agent that is known, limited or has spent something", () => {
    const rows = limitRows(report, ["triage", "sales"])
    assert.deepStrictEqual(rows.map(({ name, of }) => [of, name]), [
      ["team", ""],
      ["person", ""],
      ["agent", "gone"],
      ["agent", "sales"],
      ["agent", "triage"]
    ])
    assert.deepStrictEqual(limitsOf(rows), { team: report.team, person: report.person, agents: report.agents })
  })

  it("stores what is typed, and no limit where nothing is", () => {
    const rows = limitRows(report, []).map((row) => row.of === "agent" ? { ...row, day: "", month: " " } : row)
    assert.deepStrictEqual(limitsOf(rows.map((row) => row.of === "person" ? { ...row, day: " 2.5" } : row)), {
      team: report.team,
      person: { day: 2.5, month: null },
      agents: {}
    })
    assert.deepStrictEqual(["", "0", "2.5", "-1", "many"].map((text) => amountFault(text) === undefined), [
      true,
      true,
      true,
      false,
      false
    ])
  })
})
