import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type Digest, digestDue, digestText, localTimeOf } from "../../../src/Intake/Unattended/DailyDigest.ts"

const nothing: Digest = {
  completed: 0,
  failed: 0,
  cost: null,
  isUnpriced: false,
  failures: [],
  waiting: 0,
  questions: [],
  wrong: []
}

describe("The daily digest", () => {
  for (
    const [hour, last, due] of [
      [7, "2026-03-01", "wait"],
      [8, "2026-03-01", "send"],
      [8, "2026-03-02", "wait"],
      [8, null, "send"],
      [9, null, "skip"],
      [23, "2026-03-01", "send"]
    ] as const
  ) {
    it(`of 8 o'clock, after one on ${last ?? "no day"}, is due at ${hour}: ${due}`, () => {
      assert.strictEqual(digestDue({ day: "2026-03-02", hour }, { at: 8, last }), due)
    })
  }

  it("has the day and the hour of the person's time zone", () => {
    const now = DateTime.unsafeMake("2026-03-01T23:30:00.000Z")
    const at = (zone: string) => localTimeOf(now, DateTime.zoneUnsafeMakeNamed(zone))
    assert.deepStrictEqual(at("UTC"), { day: "2026-03-01", hour: 23 })
    assert.deepStrictEqual(at("Asia/Kolkata"), { day: "2026-03-02", hour: 5 })
    assert.deepStrictEqual(at("America/New_York"), { day: "2026-03-01", hour: 18 })
  })

  it("is not sent about nothing", () => {
    assert.strictEqual(digestText(nothing), null)
  })

  it("says what ran, failed, waits and needs attention, and the cost", () => {
    const text = digestText({
      completed: 3,
      failed: 6,
      cost: 1.234,
      isUnpriced: true,
      failures: [{ title: "Mail\nreport", error: "The provider failed." }],
      waiting: 1,
      questions: ["Which colour?"],
      wrong: ["Daily report is late"]
    })
    assert.strictEqual(text?.title, "Daily digest: 3 completed, 6 failed, 1 waiting")
    assert.strictEqual(
      text?.body,
      `In the last 24 hours: 3 tasks completed, 6 failed.
Cost: 1.23, without the calls that had no price.

Failed:
- Mail report: The provider failed.
- and 1 more

Waiting for an answer:
- Which colour?

Needs attention:
- Daily report is late`
    )
  })
})
