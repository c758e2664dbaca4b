import { assert, describe, it } from "@effect/vitest"
import { limitsOf, parentLimits, subagentLimits } from "@troupe/domain/Limits"
import { progressAfter } from "@troupe/domain/Run"
import { FastCheck as fc } from "effect"

const limits = { parent: parentLimits, subagent: subagentLimits }

describe("Limits", () => {
  it("of a subagent come down with max_iterations and never go up with it", () => {
    assert.deepStrictEqual(limitsOf("subtask", limits, 9), { soft: 7, hard: 9, recursion: 35 })
    assert.deepStrictEqual(limitsOf("subtask", limits, 100), subagentLimits)
  })

  it("lets a task ask for more or less, up to the largest, and its recursion limit follows", () => {
    assert.deepStrictEqual(limitsOf("task", limits, 3), { soft: 2, hard: 3, recursion: 25 })
    assert.deepStrictEqual(limitsOf("task", limits, 60), { soft: 48, hard: 60, recursion: 125 })
    assert.deepStrictEqual(limitsOf("task", limits, 5_000), { soft: 160, hard: 200, recursion: 405 })
    assert.strictEqual(limitsOf("task", { ...limits, largest: 40 }, 60).hard, 40)
    assert.deepStrictEqual(limitsOf("task", limits, null), parentLimits)
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
