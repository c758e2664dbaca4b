import { assert, describe, it } from "@effect/vitest"
import { limitsOf, parentLimits, progressAfter, subagentLimits } from "@troupe/domain/Run"
import { FastCheck as fc } from "effect"

const limits = { parent: parentLimits, subagent: subagentLimits }

describe("Limits", () => {
  it("of a subagent come down with max_iterations and never go up with it", () => {
    assert.deepStrictEqual(limitsOf("subtask", limits, 9), { soft: 7, hard: 9, recursion: 35 })
    assert.deepStrictEqual(limitsOf("subtask", limits, 100), subagentLimits)
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
