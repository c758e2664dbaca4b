import { assert, describe, it } from "@effect/vitest"
import { ScheduleId, UserId } from "@troupe/domain/Ids"
import { DateTime, Either, FastCheck as fc } from "effect"
import { postsOf } from "../../../src/Chat/Slack/SlackPosts.ts"
import { scheduled } from "../../../src/Intake/Chat/ChatTexts.ts"
import { beginningAfter, nextRuns, wallClockAt } from "../../../src/Intake/Schedule/CronText.ts"
import { recurrenceOf } from "../../../src/Intake/Schedule/Recurrence.ts"
import { timeInWords } from "../../../src/Intake/Schedule/ScheduledTimes.ts"
import { scheduleOf } from "../../../src/Intake/Schedule/ScheduleRow.ts"

interface Date {
  readonly day: number
  readonly lastDay: number
  readonly month: number
  readonly weekDay: number
}

/** Days as people name them, and whether a date is one of them. */
const days: ReadonlyArray<readonly [string, (date: Date) => boolean]> = [
  ["every day", () => true],
  ["daily", () => true],
  ["every monday", ({ weekDay }) => weekDay === 1],
  ["mondays", ({ weekDay }) => weekDay === 1],
  ["every monday and thursday", ({ weekDay }) => weekDay === 1 || weekDay === 4],
  ["every tuesday, wednesday and saturday", ({ weekDay }) => [2, 3, 6].includes(weekDay)],
  ["on weekdays", ({ weekDay }) => weekDay >= 1 && weekDay <= 5],
  ["every weekend", ({ weekDay }) => weekDay === 0 || weekDay === 6],
  ["monday to wednesday", ({ weekDay }) => weekDay >= 1 && weekDay <= 3],
  ["every week on friday", ({ weekDay }) => weekDay === 5],
  ["every 15th", ({ day }) => day === 15],
  ["monthly on the 1st", ({ day }) => day === 1],
  ["every month on the 1st and 15th", ({ day }) => day === 1 || day === 15],
  ["on the last day of every month", ({ day, lastDay }) => day === lastDay],
  ["at the end of every month", ({ day, lastDay }) => day === lastDay],
  ["on the first monday of every month", ({ day, weekDay }) => weekDay === 1 && day <= 7],
  ["on the last friday of every month", ({ day, lastDay, weekDay }) => weekDay === 5 && day > lastDay - 7],
  ["every 3 months", ({ day, month }) => day === 1 && month % 3 === 1],
  ["every year on 3 march", ({ day, month }) => day === 3 && month === 3],
  ["every december", ({ day, month }) => day === 1 && month === 12]
]

/** Times as people name them. */
const times: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["", ["09:00"]],
  ["at 6", ["06:00"]],
  ["at 18", ["18:00"]],
  ["at 6pm", ["18:00"]],
  ["at 6:45 p.m.", ["18:45"]],
  ["at 07:30", ["07:30"]],
  ["at noon", ["12:00"]],
  ["at 12 midnight", ["00:00"]],
  ["in the evening", ["18:00"]],
  ["at 6 in the evening", ["18:00"]],
  ["at 6 o'clock in the morning", ["06:00"]],
  ["in the evening at 11", ["23:00"]],
  ["at 3 in the afternoon", ["15:00"]],
  ["at half past nine", ["09:30"]],
  ["at a quarter to 8 in the evening", ["19:45"]],
  ["at lunchtime", ["12:00"]],
  ["at 9 and 17", ["09:00", "17:00"]],
  ["at 8 in the morning and 7 in the evening", ["08:00", "19:00"]]
]

/** "Every evening at 6": what the words for half a day make of an hour. */
const partTimes = [
  ["morning", (hour: number) => hour % 12],
  ["afternoon", (hour: number) => hour % 12 + 12],
  ["evening", (hour: number) => hour === 12 ? 0 : hour + 12],
  ["night", (hour: number) => hour === 12 ? 0 : hour < 6 ? hour : hour + 12]
] as const

const phrase = fc.oneof(
  fc.tuple(fc.constantFrom(...days), fc.constantFrom(...times), fc.boolean()).map((
    [[day, isDay], [time, clocks], isFirst]
  ) => ({
    text: (isFirst ? `${time} ${day}` : `${day} ${time}`).trim(),
    isDay,
    clocks
  })),
  fc.tuple(fc.constantFrom(...partTimes), fc.integer({ min: 1, max: 12 }), fc.boolean()).map((
    [[part, hourOf], hour, isFirst]
  ) => ({
    text: isFirst ? `at ${hour} every ${part}` : `every ${part} at ${hour}`,
    isDay: () => true,
    clocks: [`${`${hourOf(hour)}`.padStart(2, "0")}:00`]
  }))
)

const day = 24 * 60 * 60_000

/** The next runs that the phrase means, minute by minute of the local clock: found without a cron. */
const meant = (
  { clocks, isDay }: { readonly clocks: ReadonlyArray<string>; readonly isDay: (date: Date) => boolean },
  now: DateTime.Utc,
  count: number
): ReadonlyArray<string> => {
  const runs: Array<string> = []
  for (let at = DateTime.startOf(now, "day"); runs.length < count; at = DateTime.add(at, { millis: day })) {
    const { day: date, month, weekDay } = DateTime.toPartsUtc(at)
    const lastDay = DateTime.toPartsUtc(DateTime.endOf(at, "month")).day
    if (!isDay({ day: date, month, weekDay, lastDay })) continue
    for (const clock of clocks) {
      const run = `${DateTime.formatIsoDateUtc(at)}T${clock}`
      if (DateTime.greaterThan(DateTime.unsafeMake(`${run}:00Z`), now)) runs.push(run)
    }
  }
  return runs.slice(0, count)
}

describe("A recurrence in words", () => {
  it("runs when its words say, and its confirmation shows these words and the next three runs", () => {
    const now = fc.integer({ min: 1_780_000_000, max: 1_900_000_000 }).map((seconds) =>
      DateTime.unsafeMake(seconds * 1000)
    )
    // Zones without a change of the clock: its own test is that of the cron.
    const place = fc.constantFrom("UTC", "Asia/Kolkata", "America/Bogota", "Pacific/Kiritimati")
    fc.assert(
      fc.property(phrase, now, place, (given, now, timezone) => {
        const zone = DateTime.zoneUnsafeMakeNamed(timezone)
        const cron = beginningAfter(
          Either.getOrThrowWith(recurrenceOf(given.text), (reason) => new Error(reason)),
          zone,
          now
        )
        const runs = nextRuns(cron, { after: now, zone, count: 3 })
        const local = runs.map((run) => DateTime.formatIso(wallClockAt(run, zone)).slice(0, 16))
        assert.deepStrictEqual(local, meant(given, wallClockAt(now, zone), 3), given.text)
        const [next = null] = runs.map(DateTime.formatIso)
        const [confirmation = ""] = postsOf({
          text: scheduled(scheduleOf({
            id: ScheduleId.make("0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"),
            user_id: UserId.make("ada"),
            kind: "reminder",
            message: "drink",
            title: null,
            at: null,
            cron,
            every: given.text,
            timezone,
            channel_id: null,
            thread: null,
            agent: null,
            expects: null,
            max_cost: null,
            health: null,
            status: "active",
            next_run_at: next,
            due_at: next,
            failures: 0,
            last_run_at: null,
            last_task_id: null,
            created_at: DateTime.formatIso(now)
          }))
        }).map(({ text }) => text)
        assert.include(confirmation, `\`${given.text}\` (${timezone})`)
        const shown = confirmation.match(/(?<=\|)[^>]*/g)
        assert.deepStrictEqual<unknown>(shown, runs.map((run) => timeInWords(run, zone)), given.text)
        runs.forEach((run, index) => {
          assert.include(shown?.[index], DateTime.formatIso(wallClockAt(run, zone)).slice(11, 16))
        })
      }),
      { numRuns: 400 }
    )
  })

  it("comes every second day or week, beginning with the next one", () => {
    const zone = DateTime.zoneUnsafeMakeNamed("Europe/Berlin")
    const now = DateTime.unsafeMake("2026-03-26T12:00:00Z")
    const runsOf = (text: string) => {
      const cron = beginningAfter(Either.getOrThrow(recurrenceOf(text)), zone, now)
      return nextRuns(cron, { after: now, zone, count: 3 }).map((run) =>
        DateTime.formatIso(wallClockAt(run, zone)).slice(0, 16)
      )
    }
    // Over a change of the clock and the end of a month.
    assert.deepStrictEqual(runsOf("every other day at 7"), ["2026-03-27T07:00", "2026-03-29T07:00", "2026-03-31T07:00"])
    assert.deepStrictEqual(runsOf("every other evening"), ["2026-03-26T18:00", "2026-03-28T18:00", "2026-03-30T18:00"])
    assert.deepStrictEqual(runsOf("every other friday"), ["2026-03-27T09:00", "2026-04-10T09:00", "2026-04-24T09:00"])
  })
})
