import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { cronOf as validCron } from "../../../src/Intake/Schedule/CronText.ts"
import { recurrenceOf } from "../../../src/Intake/Schedule/Recurrence.ts"

const cronOf = (text: string) => Either.getOrElse(recurrenceOf(text), (reason) => `refused: ${reason}`)

describe("A recurrence in words", () => {
  it("is a five-field cron", () => {
    const expected = {
      "every weekday at 9": "0 9 * * 1-5",
      "every 2 hours": "0 */2 * * *",
      "every monday and thursday at 18:30": "30 18 * * 1,4",
      "daily at noon": "0 12 * * *",
      "monthly on the 1st": "0 9 1 * *",
      "on the 1st and 15th of every month at 9": "0 9 1,15 * *",
      "Every Day at 9 AM": "0 9 * * *",
      "every monday, wednesday, and friday at 7:45 p.m.": "45 19 * * 1,3,5",
      "mon-fri at 8:15": "15 8 * * 1-5",
      "friday to monday": "0 9 * * 0,1,5,6",
      "weekends at 10": "0 10 * * 0,6",
      "every business day": "0 9 * * 1-5",
      "at 9 and 17 every day": "0 9,17 * * *",
      "every 15 minutes on weekdays": "*/15 * * * 1-5",
      "every minute": "* * * * *",
      hourly: "0 * * * *",
      "every 60 minutes": "0 * * * *",
      weekly: "0 9 * * 1",
      "every week on friday at midnight": "0 0 * * 5",
      quarterly: "0 9 1 1,4,7,10 *",
      "every 6 months": "0 9 1 1,7 *",
      "every year on march 3": "0 9 3 3 *",
      "24 december at 18:00": "0 18 24 12 *",
      "every evening": "0 18 * * *",
      "every evening at 6": "0 18 * * *",
      "every evening at 18:30": "30 18 * * *",
      "at 6 every evening": "0 18 * * *",
      "every morning at 7": "0 7 * * *",
      "every night at 11pm": "0 23 * * *",
      "every night at 12": "0 0 * * *",
      "every noon at 12:30": "30 12 * * *",
      "every lunchtime at 1": "0 13 * * *",
      "each afternoon, at 3": "0 15 * * *",
      "every midnight at 12": "0 0 * * *",
      "every monday and thursday evening at 6": "0 18 * * 1,4",
      "every evening on monday and thursday at 6": "0 18 * * 1,4",
      "every weekday at 6 o'clock in the morning": "0 6 * * 1-5",
      "every day at half past six in the evening": "30 18 * * *",
      "every day at a quarter to 7 in the morning": "45 6 * * *",
      "every morning and evening": "0 9,18 * * *",
      "every morning and evening at 7": "0 7,19 * * *",
      "every day at 7 in the morning and 6 in the evening": "0 7,18 * * *",
      "every day at 9 and noon": "0 9,12 * * *",
      "mondays": "0 9 * * 1",
      "on mondays and thursdays at 8": "0 8 * * 1,4",
      "on weekdays": "0 9 * * 1-5",
      "weekday mornings at 8": "0 8 * * 1-5",
      "everyday at 3:23am": "23 3 * * *",
      "every other day": "0 9 *%2 * *",
      "every other evening at 7": "0 19 *%2 * *",
      "monday at 9": "0 9 * * 1",
      "weekday at 9": "0 9 * * 1-5",
      "2 hours": "0 */2 * * *",
      "month on the 1st": "0 9 1 * *",
      "evening at 6": "0 18 * * *",
      "at the end of every month": "0 9 L * *",
      "end of the month": "0 9 L * *",
      "november to february": "0 9 1 1,2,11,12 *",
      "last friday of the month": "0 9 * * 5#L",
      "every month on the last friday at 17:00": "0 17 * * 5#L",
      "first monday": "0 9 * * 1#1",
      "first and third monday of the month at 10": "0 10 * * 1#1,1#3",
      "every second tuesday of the month": "0 9 * * 2#2",
      "first monday of january": "0 9 * 1 1#1",
      "last day of the month": "0 9 L * *",
      "last working day of the month at 16": "0 16 LW * *",
      "at the end of every quarter": "0 9 L 3,6,9,12 *",
      "last friday of every quarter": "0 9 * 3,6,9,12 5#L",
      "last working day of every year": "0 9 LW 12 *",
      "at the end of every year": "0 9 L 12 *",
      "at the beginning of every quarter at 8": "0 8 1 1,4,7,10 *",
      "every second of the month": "0 9 2 * *",
      "every other week": "0 9 * * 1%2",
      "every 2 weeks on friday at 17:30": "30 17 * * 5%2",
      "every other friday": "0 9 * * 5%2",
      "every second tuesday": "0 9 * * 2%2",
      "every 14 days": "0 9 * * 1%2",
      "every half hour": "*/30 * * * *",
      "every quarter of an hour": "*/15 * * * *",
      "every 30min": "*/30 * * * *",
      "every 2h": "0 */2 * * *",
      "every day at 5p.m.": "0 17 * * *",
      "every day at 8 am & 8 pm": "0 8,20 * * *",
      "every first day": "0 9 1 * *",
      "from monday to friday": "0 9 * * 1-5",
      "0 9 * * fri#l": "0 9 * * fri#L",
      "@daily": "0 0 * * *",
      " 0  9 * * MON ": "0 9 * * mon"
    }
    for (const [text, cron] of Object.entries(expected)) assert.strictEqual(cronOf(text), cron, text)
  })

  it("is refused with the reason and what works, where a cron can't say it", () => {
    const reasons = {
      "every 45 minutes": "use every 1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30",
      "every 90 minutes": "use every 1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30",
      "every 5 hours": "use every 1, 2, 3, 4, 6, 8 or 12",
      "every 3 days": "name weekdays or days of the month",
      "every 3 days at 9": "name weekdays or days of the month",
      "every third day":
        "or \"every month on the 1st and 15th at 9\". What works: \"every weekday at 9\", \"every 2 hours\"",
      "every other 15th": "is not understood",
      "every third 3 march": "is not understood",
      "every tuesday's": "is not understood",
      "every day=9": "is not understood",
      "every dates=3": "is not understood",
      "every 2 years": "use \"every year on 3 march\"",
      "every third night": "name weekdays or days of the month",
      "every first week": "is not understood",
      "every day from monday": "is not understood",
      "evenings and weekends": "is not understood",
      "every monday at 8h": "is not understood",
      "every other week in march": "is not understood",
      "the first of friday": "is not understood",
      "every friday and the 1st": "is not understood",
      "first monday and 15th": "is not understood",
      "every monday at 9 and thursday": "is not understood",
      "every monday at 9 or 10": "is not understood",
      "every 0 minutes": "use every 1, 2",
      "every evening at 6am": "6am does not fit \"evening\"",
      "every morning at 19:00": "19:00 does not fit \"morning\"",
      "friday night at 1": "may mean two dates",
      "monday morning and friday at 6": "several times of day",
      "in the morning": "may be meant once",
      "on the 5th": "may be meant once",
      "in december": "may be meant once",
      "in a fortnight": "may be meant once",
      "at 9": "may be meant once",
      "next monday": "may be meant once",
      "end of the week": "is not understood",
      "every day at 9 and 17:30": "need a schedule each",
      "every hour at 9": "exclude each other",
      "every month on friday": "is not understood",
      "every day at 25": "no time of day",
      "every morning at noon": "12pm does not fit \"morning\"",
      "every night at noon": "12pm does not fit \"night\"",
      "mondays and 5pm fridays": "is not understood",
      "every second": "is not understood",
      "every 32nd": "a month has the days 1 to 31",
      "every 0th": "a month has the days 1 to 31",
      "first and last day of every quarter": "need a schedule each",
      "a week from monday": "may be meant once",
      "every day at 13pm": "no time of day",
      "every 31 february": "never occurs",
      "0 0 30 2 *": "never occurs",
      "61 * * * *": "minute: 61",
      "* * * * * *": "five fields",
      "@reboot": "five fields",
      "whenever it rains": "\"whenever it rains\" is not understood",
      "": "every weekday at 9",
      [`every ${"day ".repeat(100)}`]: "at most 200 characters"
    }
    for (const [text, reason] of Object.entries(reasons)) {
      assert.include(Either.getOrThrow(Either.flip(recurrenceOf(text))), reason, text)
    }
  })

  it("never fails otherwise, and is quick, whatever the text is", () => {
    const word = FastCheck.constantFrom(
      ..."every each on the at 1st 31st 9 9:30am monday to - , weekdays 5 minutes hours month march daily 99 first @"
        .split(
          " "
        )
    )
    const text = FastCheck.oneof(
      FastCheck.array(word, { maxLength: 40 }).map((words) => words.join(" ")),
      FastCheck.fullUnicodeString({ maxLength: 300 }),
      FastCheck.array(FastCheck.constantFrom("*", "/", "1", "-", ",", " ", "0"), { maxLength: 60 }).map((all) =>
        all.join("")
      )
    )
    // Its own time: the machine may be busy otherwise.
    const began = process.cpuUsage()
    FastCheck.assert(
      FastCheck.property(text, (given) => {
        const read = recurrenceOf(given)
        if (Either.isRight(read)) assert.isTrue(Either.isRight(validCron(read.right)), given)
      }),
      { numRuns: 1000 }
    )
    assert.isBelow(process.cpuUsage(began).user, 5_000_000)
  })
})
