import { assert, describe, it } from "@effect/vitest"
import { Cron, DateTime, FastCheck } from "effect"
import { beginningAfter, nextRuns, wallClockAt } from "../../../src/Intake/Schedule/CronText.ts"

const runs = (cron: string, place: string, after: string, count = 3) => {
  const zone = DateTime.zoneUnsafeMakeNamed(place)
  return nextRuns(cron, { zone, after: DateTime.unsafeMake(after), count }).map((run) =>
    DateTime.formatIsoZoned(DateTime.setZone(run, zone)).replace(/:00\.000|\[.*/g, "")
  )
}

describe("The runs of a cron", () => {
  it("keep their time of day over a change of the clock", () => {
    assert.deepStrictEqual(runs("0 9 * * *", "Europe/Berlin", "2026-03-28T00:00Z"), [
      "2026-03-28T09:00+01:00",
      "2026-03-29T09:00+02:00",
      "2026-03-30T09:00+02:00"
    ])
  })

  it("come once on the day without their hour, at the end of the gap", () => {
    assert.deepStrictEqual(runs("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2), [
      "2026-03-29T03:00+02:00",
      "2026-03-30T02:30+02:00"
    ])
    assert.deepStrictEqual(runs("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", 1), [
      "2026-10-04T02:30+11:00"
    ])
  })

  it("come once on the day that has their hour twice, wherever one begins to count", () => {
    assert.deepStrictEqual(runs("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2), [
      "2026-10-25T02:30+02:00",
      "2026-10-26T02:30+01:00"
    ])
    // Between the two times at which the clock shows 02:10.
    assert.deepStrictEqual(runs("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10Z", 1), ["2026-10-26T02:30+01:00"])
  })

  it("keep their distance if they come in every hour", () => {
    assert.deepStrictEqual(runs("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:10Z", 4), [
      "2026-10-25T02:30+02:00",
      "2026-10-25T02:00+01:00",
      "2026-10-25T02:30+01:00",
      "2026-10-25T03:00+01:00"
    ])
    assert.deepStrictEqual(runs("0 * * * *", "America/New_York", "2026-03-08T06:30Z", 2), [
      "2026-03-08T03:00-04:00",
      "2026-03-08T04:00-04:00"
    ])
  })

  it("are each later than the one before, and fit the cron wherever the clock does not change", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Pacific/Apia",
      "Africa/Cairo",
      "Asia/Kathmandu"
    ]
    const list = (min: number, max: number) =>
      FastCheck.oneof(
        FastCheck.constant("*"),
        FastCheck.uniqueArray(FastCheck.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((all) => all.join())
      )
    const cron = FastCheck.tuple(list(0, 59), list(0, 23), list(1, 28), list(1, 12), list(0, 6)).map((all) =>
      all.join(" ")
    )
    // Around the changes of these clocks in 2026, and at any time.
    const changes = [
      "2026-03-08",
      "2026-03-29",
      "2026-04-04",
      "2026-04-24",
      "2026-10-04",
      "2026-10-25",
      "2026-10-29",
      "2026-11-01"
    ]
    const time = FastCheck.oneof(
      FastCheck.tuple(FastCheck.constantFrom(...changes), FastCheck.integer({ min: -1440, max: 2880 })).map(
        ([day, minutes]) => DateTime.add(DateTime.unsafeMake(day), { minutes })
      ),
      FastCheck.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => DateTime.unsafeMake(seconds * 1000))
    )
    FastCheck.assert(
      FastCheck.property(cron, time, FastCheck.constantFrom(...zones), (given, after, place) => {
        const zone = DateTime.zoneUnsafeMakeNamed(place)
        const parsed = Cron.unsafeParse(given, zone)
        const offsetAt = (one: DateTime.DateTime) => DateTime.distance(one, wallClockAt(one, zone))
        let last: DateTime.DateTime = after
        for (const run of nextRuns(given, { after, zone, count: 3 })) {
          assert.isTrue(DateTime.greaterThan(run, last), `${given} in ${place} after ${DateTime.formatIso(last)}`)
          const isSteady = [-1, 0, 1].every((days) => offsetAt(DateTime.add(run, { days })) === offsetAt(run))
          if (isSteady) assert.isTrue(Cron.match(parsed, run), `${given} in ${place}: ${DateTime.formatIso(run)}`)
          last = run
        }
        assert.notStrictEqual(last, after)
      }),
      { numRuns: 300 }
    )
  })

  it("come in every second week only, at their time of day over a change of the clock", () => {
    const zone = DateTime.zoneUnsafeMakeNamed("Europe/Berlin")
    // A Wednesday: the first run is on the next Friday.
    const cron = beginningAfter("0 9 * * 5%2", zone, DateTime.unsafeMake("2026-03-18T12:00Z"))
    assert.match(cron, /^0 9 \* \* 5%2\+[01]$/)
    assert.deepStrictEqual(runs(cron, "Europe/Berlin", "2026-03-18T12:00Z", 3), [
      "2026-03-20T09:00+01:00",
      "2026-04-03T09:00+02:00",
      "2026-04-17T09:00+02:00"
    ])
    assert.deepStrictEqual(
      runs("0 9,17 * * 0,6%52+7", "Europe/Berlin", "2026-03-18T12:00Z", 5).map((run) => run.slice(11, 16)),
      [
        "09:00",
        "17:00",
        "09:00",
        "17:00",
        "09:00"
      ]
    )
  })

  it("come on the last and on counted weekdays of the months", () => {
    assert.deepStrictEqual(runs("0 9 * * 5#L", "America/New_York", "2026-02-01T00:00Z"), [
      "2026-02-27T09:00-05:00",
      "2026-03-27T09:00-04:00",
      "2026-04-24T09:00-04:00"
    ])
    assert.deepStrictEqual(runs("0 9 * * 1#1", "UTC", "2026-02-01T00:00Z", 2), [
      "2026-02-02T09:00+00:00",
      "2026-03-02T09:00+00:00"
    ])
    assert.deepStrictEqual(runs("0 9 L * *", "UTC", "2026-02-01T00:00Z", 2), [
      "2026-02-28T09:00+00:00",
      "2026-03-31T09:00+00:00"
    ])
  })

  it("are none if the cron is not valid", () => {
    assert.deepStrictEqual(runs("0 0 31 2 *", "UTC", "2026-01-01T00:00Z"), [])
    assert.deepStrictEqual(runs("nonsense", "UTC", "2026-01-01T00:00Z"), [])
  })
})
