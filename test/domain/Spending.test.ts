import { assert, describe, it } from "@effect/vitest"
import { isOver, limitsFor, limitText, pauseCallOf, pausedBy, SpendingLimits } from "@troupe/domain/Spending"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(SpendingLimits)

describe("Spending limits", () => {
  it("of the team, the person and the agent hold for a call, each in its period", () => {
    const limits = decode({
      team: { day: 10, month: 100 },
      person: { day: 2 },
      agents: { researcher: { month: 30 }, other: { day: 1 } }
    })
    assert.deepStrictEqual(limitsFor(limits, { creator: "ann/1", agent: "researcher" }, "2026-11-28"), [
      { key: "team/day/2026-11-28", limit: 10 },
      { key: "team/month/2026-11", limit: 100 },
      { key: "person:ann/1/day/2026-11-28", limit: 2 },
      { key: "agent:researcher/month/2026-11", limit: 30 }
    ])
    assert.deepStrictEqual(limitsFor(decode({}), { creator: "ann", agent: null }, "2026-11-28"), [])
  })

  it("refuse what is no amount", () => {
    for (const day of [-1, "5", Number.NaN]) assert.throws(() => decode({ team: { day } }))
  })

  it("are named in words, and are over with their period", () => {
    assert.strictEqual(limitText("team/day/2026-11-28"), "The spending limit of the team for 2026-11-28")
    assert.strictEqual(limitText("person:ann/1/month/2026-11"), "The spending limit of ann/1 for 2026-11")
    assert.strictEqual(
      limitText("agent:researcher/month/2026-11"),
      "The spending limit of the agent researcher for 2026-11"
    )
    assert.isFalse(isOver("team/day/2026-11-28", "2026-11-28"))
    assert.isTrue(isOver("team/day/2026-11-28", "2026-11-29"))
    assert.isFalse(isOver("team/month/2026-11", "2026-11-30"))
    assert.isTrue(isOver("team/month/2026-11", "2026-12-01"))
    assert.isFalse(isOver("team/month/2028-02", "2028-02-29"))
    assert.isTrue(isOver("team/day/2028-02-28", "2028-02-29"))
    assert.isTrue(isOver("team/day/2028-02-29", "2028-03-01"))
  })

  it("are found again in what a paused task waits for", () => {
    assert.strictEqual(pausedBy(pauseCallOf("person:ann/day/2026-11-28")), "person:ann/day/2026-11-28")
    assert.isNull(pausedBy("call_1"))
    assert.isNull(pausedBy(null))
  })
})
