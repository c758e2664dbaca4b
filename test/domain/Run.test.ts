import { assert, describe, it } from "@effect/vitest"
import { isBudgetLow, limitsOf, parentLimits, progressAfter, subagentLimits } from "@troupe/domain/Run"
import { FastCheck as fc } from "effect"

const limits = { parent: parentLimits, subagent: subagentLimits }

describe("Limits", () => {
  it("are those of the specification for a task and for a subagent", () => {
    assert.deepStrictEqual(limitsOf("task", limits, null), { soft: 8, hard: 10, recursion: 25 })
    assert.deepStrictEqual(limitsOf("subtask", limits, null), { soft: 12, hard: 15, recursion: 35 })
  })

  it("of a subagent come down with max_iterations and never go up with it", () => {
    assert.deepStrictEqual(limitsOf("subtask", limits, 9), { soft: 7, hard: 9, recursion: 35 })
    assert.deepStrictEqual(limitsOf("subtask", limits, 100), subagentLimits)
  })

  it("call a token budget low from 80% on", () => {
    assert.deepStrictEqual([0, 7_999, 8_000, 10_000].map((used) => isBudgetLow(10_000, used)), [
      false,
      false,
      true,
      true
    ])
    assert.isFalse(isBudgetLow(null, Number.MAX_SAFE_INTEGER))
  })

  it.prop("let progress rise to 95 and never fall", [
    fc.integer({ min: 0, max: 95 }),
    fc.nat(40),
    fc.integer({ min: 1, max: 40 })
  ], ([before, iterations, hard]) => {
    const after = progressAfter(before, iterations, hard)
    assert.isTrue(after >= before && after <= 95)
  })
})
