import { assert, describe, it } from "@effect/vitest"
import { noLimits } from "@troupe/domain/Spending"
import { SpentSums } from "../../src/Task/Spending/SpentSums.ts"

const key = "team/day/2026-11-28"
const limits = { ...noLimits, team: { day: 10, month: null } }
const known = { limits, sums: new Map<string, number>(), decisions: new Map<string, "go_on" | "stop">() }
const call = { creator: "ann", agent: null, model: "m", source: null }

describe("What a process spends", () => {
  it("is reserved before each call, so that calls in flight do not pass the limit together", () => {
    const sums = new SpentSums(known, () => "2026-11-28")
    const permissions = Array.from({ length: 5 }, () => sums.reserve(call, () => 4))
    assert.deepStrictEqual(permissions.map(({ _tag }) => _tag), ["Granted", "Granted", "Paused", "Paused", "Paused"])
    const [first] = permissions
    if (first?._tag === "Granted") first.reservation?.release()
    assert.strictEqual(sums.reserve(call, () => 4)._tag, "Granted")
    assert.deepStrictEqual(sums.takeReached(), [key])
    assert.deepStrictEqual(sums.takeReached(), [])
  })

  it("has room again once the smallest call that was refused fits, which is asked anew after its tasks went on", () => {
    const sums = new SpentSums(known, () => "2026-11-28")
    assert.isNull(sums.hasRoom(key), "nothing was refused")
    const held = sums.reserve(call, () => 8)
    for (const amount of [5, 4, 6]) sums.reserve(call, () => amount)
    assert.isFalse(sums.hasRoom(key))
    if (held._tag === "Granted") held.reservation?.release()
    assert.isTrue(sums.hasRoom(key))
    sums.spent(call, 6.5)
    assert.isFalse(sums.hasRoom(key))
    sums.learn({ ...known, limits: { ...limits, team: { day: 10.5, month: null } } }, [])
    assert.isTrue(sums.hasRoom(key), "of a higher limit")
    sums.learn({ ...known, limits: noLimits }, [])
    assert.isTrue(sums.hasRoom(key), "without a limit")
    sums.resumed(key)
    assert.isNull(sums.hasRoom(key))
  })

  it("counts before it is written, and once after that", () => {
    const sums = new SpentSums(known, () => "2026-11-28")
    sums.spent(call, 6)
    sums.spent(call, null)
    const written = sums.unwritten()
    assert.deepInclude(written[0], { calls: 2, unpriced: 1, cost: 6 })
    sums.spent(call, 1)
    sums.learn({ ...known, sums: new Map([[key, 6]]) }, written)
    assert.deepInclude(sums.unwritten()[0], { calls: 1, unpriced: 0, cost: 1 })
    assert.strictEqual(sums.reserve(call, () => 3)._tag, "Granted")
    assert.strictEqual(sums.reserve(call, () => 3)._tag, "Paused")
  })

  it("goes on or stops as was decided, in that period alone", () => {
    let today = "2026-11-28"
    const sums = new SpentSums(
      { ...known, sums: new Map([[key, 10]]), decisions: new Map([[key, "go_on"]]) },
      () => today
    )
    assert.strictEqual(sums.reserve(call, () => 4)._tag, "Granted")
    sums.learn({ ...known, sums: new Map([[key, 10]]), decisions: new Map([[key, "stop"]]) }, [])
    assert.strictEqual(sums.reserve(call, () => 4)._tag, "Stopped")
    today = "2026-11-29"
    assert.strictEqual(sums.reserve(call, () => 4)._tag, "Granted")
  })

  it("asks for no estimate without a limit", () => {
    const sums = new SpentSums({ ...known, limits: noLimits }, () => "2026-11-28")
    assert.deepStrictEqual(sums.reserve(call, () => assert.fail("asked")), { _tag: "Granted", reservation: null })
  })
})
