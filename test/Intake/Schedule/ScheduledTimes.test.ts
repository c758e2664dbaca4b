import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, FastCheck } from "effect"
import { scheduledTimeOf } from "../../../src/Intake/Schedule/ScheduledTimes.ts"

const reading = (place: string, now: string) => (text: string) => {
  const zone = DateTime.zoneUnsafeMakeNamed(place)
  return Either.match(scheduledTimeOf(text, { now: DateTime.unsafeMake(now), zone }), {
    onLeft: (reason) => `refused: ${reason}`,
    onRight: (time) => DateTime.formatIsoZoned(DateTime.setZone(time, zone)).replace(/\[.*/, "")
  })
}

describe("A time in words", () => {
  it("is so many whole months later, on their last day where they are shorter", () => {
    const cases: ReadonlyArray<readonly [now: string, text: string, expected: string]> = [
      ["2028-01-31T12:00:00Z", "in a month", "2028-02-29T12:00:00.000Z"],
      ["2028-01-30T12:00:00Z", "next month", "2028-02-29T12:00:00.000Z"],
      ["2027-01-30T12:00:00Z", "in 1 month", "2027-02-28T12:00:00.000Z"],
      ["2028-02-29T12:00:00Z", "in a month", "2028-03-29T12:00:00.000Z"],
      ["2028-02-29T12:00:00Z", "in a year", "2029-02-28T12:00:00.000Z"],
      ["2028-02-29T12:00:00Z", "in 4 years", "2032-02-29T12:00:00.000Z"],
      ["2028-08-31T12:00:00Z", "in 3 months", "2028-11-30T12:00:00.000Z"],
      ["2028-01-31T12:00:00Z", "in 2 months", "2028-03-31T12:00:00.000Z"],
      ["2028-01-31T12:00:00Z", "end of next month", "2028-02-29T09:00:00.000Z"],
      ["2028-01-30T12:00:00Z", "in 31 days", "2028-03-01T12:00:00.000Z"]
    ]
    for (const [now, text, expected] of cases) {
      assert.strictEqual(reading("UTC", now)(text).replace("+00:00", "Z"), expected, `${text} at ${now}`)
    }
  })

  it("is on 29 February only in a leap year", () => {
    const read = reading("UTC", "2026-11-29T12:00:00Z")
    for (const text of ["29 february", "february 29th at 9", "29 feb 2028", "2028-02-29"]) {
      assert.strictEqual(read(text), "2028-02-29T09:00:00.000+00:00", text)
    }
    for (const text of ["29 feb 2027", "2027-02-29"]) assert.match(read(text), /^refused: /, text)
  })

  it("is read on the user's clock, wherever the service is", () => {
    // Sunday evening in UTC, and Monday morning in Auckland.
    const read = reading("Pacific/Auckland", "2026-11-22T17:05:30Z")
    const expected = {
      "tomorrow at 9": "2026-11-24T09:00:00.000+13:00",
      tomorrow: "2026-11-24T09:00:00.000+13:00",
      "at noon": "2026-11-23T12:00:00.000+13:00",
      "9am": "2026-11-23T09:00:00.000+13:00",
      "Friday at 18:30": "2026-11-27T18:30:00.000+13:00",
      monday: "2026-11-23T09:00:00.000+13:00",
      sunday: "2026-11-29T09:00:00.000+13:00",
      "the day after tomorrow at 8": "2026-11-25T08:00:00.000+13:00",
      "tomorrow morning": "2026-11-24T09:00:00.000+13:00",
      "this evening": "2026-11-23T18:00:00.000+13:00",
      "this morning": "2026-11-23T09:00:00.000+13:00",
      "in the morning": "2026-11-23T09:00:00.000+13:00",
      "at 6 in the evening": "2026-11-23T18:00:00.000+13:00",
      "at 6 this evening": "2026-11-23T18:00:00.000+13:00",
      "5 o'clock in the morning": "2026-11-24T05:00:00.000+13:00",
      "tomorrow morning at 8": "2026-11-24T08:00:00.000+13:00",
      "tomorrow night": "2026-11-24T21:00:00.000+13:00",
      "friday evening at 7": "2026-11-27T19:00:00.000+13:00",
      "tomorrow at half past nine": "2026-11-24T09:30:00.000+13:00",
      "tomorrow at lunch": "2026-11-24T12:00:00.000+13:00",
      "tonight at 8": "2026-11-23T20:00:00.000+13:00",
      "tonight at midnight": "2026-11-24T00:00:00.000+13:00",
      "tonight at 1": "2026-11-24T01:00:00.000+13:00",
      "12 noon": "2026-11-23T12:00:00.000+13:00",
      "in 3 nights": "2026-11-26T21:00:00.000+13:00",
      "day after tomorrow at 8": "2026-11-25T08:00:00.000+13:00",
      "next monday": "2026-11-30T09:00:00.000+13:00",
      "by friday?": "2026-11-27T09:00:00.000+13:00",
      "on the 5th": "2026-12-05T09:00:00.000+13:00",
      "on the 5th of december at 10": "2026-12-05T10:00:00.000+13:00",
      "in december": "2026-12-01T09:00:00.000+13:00",
      "last friday of the month": "2026-11-27T09:00:00.000+13:00",
      "end of the month": "2026-11-30T09:00:00.000+13:00",
      "at the end of the month at 17:00": "2026-11-30T17:00:00.000+13:00",
      "end of march": "2027-03-31T09:00:00.000+13:00",
      "end of next month": "2026-12-31T09:00:00.000+13:00",
      "end of next year": "2027-12-31T09:00:00.000+13:00",
      "monday, 30 november at 8": "2026-11-30T08:00:00.000+13:00",
      "in a half hour": "2026-11-23T06:35:30.000+13:00",
      "end of the day": "2026-11-23T18:00:00.000+13:00",
      "end of the week": "2026-11-27T18:00:00.000+13:00",
      "at the end of the year": "2026-12-31T09:00:00.000+13:00",
      "in a fortnight": "2026-12-07T06:05:30.000+13:00",
      "in an hour and a half": "2026-11-23T07:35:30.000+13:00",
      "in an hour and a quarter": "2026-11-23T07:20:30.000+13:00",
      "in two and a half hours": "2026-11-23T08:35:30.000+13:00",
      "in a quarter of an hour": "2026-11-23T06:20:30.000+13:00",
      "in forty-five minutes": "2026-11-23T06:50:30.000+13:00",
      "in a week's time": "2026-11-30T06:05:30.000+13:00",
      tonight: "2026-11-23T21:00:00.000+13:00",
      "tonight at 23:00": "2026-11-23T23:00:00.000+13:00",
      "in 2 hours": "2026-11-23T08:05:30.000+13:00",
      "in 18h": "2026-11-24T00:05:30.000+13:00",
      "18 hours": "2026-11-24T00:05:30.000+13:00",
      "1h 30m": "2026-11-23T07:35:30.000+13:00",
      "in half an hour": "2026-11-23T06:35:30.000+13:00",
      "in 3 days": "2026-11-26T06:05:30.000+13:00",
      "in 3 days at 9am": "2026-11-26T09:00:00.000+13:00",
      "1st of december at 10": "2026-12-01T10:00:00.000+13:00",
      "nov 20 at 5pm": "2027-11-20T17:00:00.000+13:00",
      "9am UTC tomorrow": "2026-11-24T22:00:00.000+13:00",
      "2026-11-23T09:00": "2026-11-23T09:00:00.000+13:00",
      "2026-11-23 09:00:30": "2026-11-23T09:00:30.000+13:00",
      "2026-12-01": "2026-12-01T09:00:00.000+13:00",
      "2026-11-23T09:00:00Z": "2026-11-23T22:00:00.000+13:00",
      "2026-11-23T09:00+01:00": "2026-11-23T21:00:00.000+13:00"
    }
    for (const [text, time] of Object.entries(expected)) assert.strictEqual(read(text), time, text)
  })

  it("is right across a change of the clock, in its gap and where an hour comes twice", () => {
    const spring = reading("Europe/Berlin", "2026-03-28T23:30:00Z")
    assert.strictEqual(spring("at 9"), "2026-03-29T09:00:00.000+02:00")
    assert.strictEqual(spring("in 2 hours"), "2026-03-29T03:30:00.000+02:00")
    assert.strictEqual(spring("2026-03-29T02:30"), "2026-03-29T03:30:00.000+02:00")
    const autumn = reading("Europe/Berlin", "2026-10-24T23:30:00Z")
    assert.strictEqual(autumn("in 2 hours"), "2026-10-25T02:30:00.000+01:00")
    assert.strictEqual(autumn("at 2:30am"), "2026-10-25T02:30:00.000+02:00")
    assert.strictEqual(autumn("in 1 day"), "2026-10-26T01:30:00.000+01:00")
  })

  it("is refused with the reason and examples of what works", () => {
    const read = reading("Europe/Berlin", "2026-11-22T17:05:30Z")
    const reasons = {
      "": "is not understood",
      soon: "is not understood",
      "tomorrow bar": "is not understood",
      "tomorrow and friday": "is not understood",
      "tomorrow 9 to 10": "is not understood",
      "last friday": "is not understood",
      "this week": "is not understood",
      "friday 28 november": "is another day of the week",
      "mon 2 jan 2029 at 8": "is another day of the week",
      "before noon": "is not understood",
      "after lunch": "is not understood",
      "tomorrow at 9 or 10": "is not understood",
      "in an hour or two": "is not understood",
      mondays: "is not understood",
      "tuesday nights at 8": "it means several",
      "on the 1st and 15th": "is not understood",
      "on the 5th at 9 and 17": "is not understood",
      "in january and march": "is not understood",
      "every monday": "is not understood",
      "every 3 days at 9": "is not understood",
      "tomorrow evening at 6am": "6am does not fit \"evening\"",
      "friday night at 1": "may mean two dates",
      now: "is in the past",
      yesterday: "09:00 (Europe/Berlin), which is in the past",
      "today at 3": "is in the past",
      "2 days ago": "is in the past",
      "2020-01-01T00:00:00Z": "is in the past",
      "in 99 years": "more than 10 years ahead",
      "2026-02-31": "does not exist",
      "2026-11-23T25:00": "does not exist",
      "3/4/2027": "may be two dates",
      "03.04.2027": "may be two dates",
      "tomorrow at 9am EST": "names a time zone",
      "18h": "may be a time of day or a duration: write 18:00, or \"in 18h\"",
      "at 9 h": "write 9:00, or \"in 9h\"",
      "tomorrow 18h": "may be a time of day or a duration",
      "18h30": "write 18:30, or \"in 18h 30m\"",
      ["a".repeat(101)]: "at most 100 characters"
    }
    for (const [text, reason] of Object.entries(reasons)) {
      assert.include(read(text), reason, text)
      assert.include(read(text), "tomorrow at 9", text)
    }
  })

  it("with a name is refused once its hour is past, with the reason", () => {
    const read = reading("Europe/Berlin", "2026-11-22T20:30:00Z")
    assert.include(read("tonight"), "21:00 (Europe/Berlin), which is in the past: name a later time")
    assert.include(read("this evening"), "18:00 (Europe/Berlin), which is in the past")
    assert.include(read("this afternoon"), "15:00 (Europe/Berlin), which is in the past")
    assert.strictEqual(read("tonight at 23:00"), "2026-11-22T23:00:00.000+01:00")
    assert.strictEqual(reading("Europe/Berlin", "2026-11-22T19:30:00Z")("tonight"), "2026-11-22T21:00:00.000+01:00")
  })

  it("never fails otherwise, is always in the future, and is quick, whatever the text is", () => {
    const word = FastCheck.constantFrom(
      ..."in at on next last this 1 9 30 99999 9:30 pm am hours minutes days weeks months years monday march 31st tomorrow noon half an 2026-11-23 T - + . now ago after before"
        .split(
          " "
        )
    )
    const text = FastCheck.oneof(
      FastCheck.array(word, { maxLength: 20 }).map((words) => words.join(" ")),
      FastCheck.array(FastCheck.constantFrom("1", ":", " ", "-", "T", "am", "in"), { maxLength: 60 }).map((all) =>
        all.join("")
      ),
      FastCheck.fullUnicodeString({ maxLength: 120 })
    )
    const now = DateTime.unsafeMake("2026-11-22T17:05:30Z")
    const zone = DateTime.zoneUnsafeMakeNamed("America/St_Johns")
    // Its own time: the machine may be busy otherwise.
    const began = process.cpuUsage()
    FastCheck.assert(
      FastCheck.property(text, (given) => {
        const read = scheduledTimeOf(given, { now, zone })
        if (Either.isRight(read)) assert.isTrue(DateTime.greaterThan(read.right, now), given)
      }),
      { numRuns: 1000 }
    )
    assert.isBelow(process.cpuUsage(began).user, 10_000_000)
  })
})
