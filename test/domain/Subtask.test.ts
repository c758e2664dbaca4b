import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { outcomeText, shareBudget } from "@troupe/domain/Subtask"
import { FastCheck as fc } from "effect"

describe("shareBudget", () => {
  const wishes = fc.array(fc.option(fc.integer({ min: 1, max: 5_000 })), { minLength: 1, maxLength: 10 })

  it.prop(
    "never gives more than there is, nor more than was asked for",
    { left: fc.integer({ max: 10_000 }), wishes },
    ({ left, wishes }) => {
      const shares = shareBudget(left, wishes)
      assert.strictEqual(shares.length, wishes.length)
      const given = shares.reduce<number>((sum, share) => sum + (share ?? 0), 0)
      assert.isAtMost(given, Math.max(0, left))
      shares.forEach((share, index) => assert.isAtMost(share ?? 0, wishes[index] ?? Number.POSITIVE_INFINITY))
    }
  )

  it.prop("grants every request within an even share, and leaves almost nothing unshared", {
    left: fc.integer({ min: 0, max: 10_000 }),
    wishes
  }, ({ left, wishes }) => {
    const shares = shareBudget(left, wishes)
    const even = Math.floor(left / wishes.length)
    wishes.forEach((wish, index) => {
      if (wish !== null && wish <= even) assert.strictEqual(shares[index], wish)
    })
    const isWanting = wishes.some((wish, index) => wish === null || (shares[index] ?? 0) < wish)
    const given = shares.reduce<number>((sum, share) => sum + (share ?? 0), 0)
    if (isWanting) assert.isAbove(given + wishes.length, left)
  })

  it("gives each what it asked for where there is no limit", () => {
    assert.deepStrictEqual(shareBudget(null, [5, null, 7]), [5, null, 7])
  })
})

describe("outcomeText", () => {
  const task = TaskId.make("019a0000-0000-7000-8000-000000000001")

  it("returns a failure as an error, and names files after the text", () => {
    assert.match(
      outcomeText("research", { task, tokens: 1, outcome: { _tag: "Failed", error: "Cancelled." } }),
      /^Error: the research subagent failed \(task 019a.*\): Cancelled\.$/
    )
    const text = outcomeText("general", {
      task,
      tokens: 1,
      outcome: { _tag: "Completed", end: { by: "answer", detail: null }, text: "42", files: ["a.md"] }
    })
    assert.match(text, /^The general subagent is done .*\n\n42\n\nFiles .*: a\.md$/)
  })

  it.each([["limit", "its limit of 15 model calls"], ["budget", "its budget"]] as const)(
    "says of one that ended by its %s that it was stopped, not that it is done",
    (by, where) => {
      const outcome = {
        _tag: "Completed" as const,
        end: { by, detail: by === "limit" ? "15" : null },
        text: "Half.",
        files: []
      }
      assert.include(
        outcomeText("general", { task, tokens: 1, outcome }),
        `The general subagent was stopped at ${where} (task`
      )
    }
  )
})
