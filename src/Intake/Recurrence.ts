import { Either } from "effect"
import { cronOf, isCronText } from "./CronText.ts"
import { type Phrases, phrasesOf } from "./RecurrencePhrases.ts"

/** Examples of recurrences, for people and error texts. */
export const recurrenceExamples =
  "\"every weekday at 9\", \"every 2 hours\", \"monday and thursday at 18:30\", \"every other friday\", \"monthly on the 1st\", "
  + "\"last friday of the month\", \"every 3 months\", \"every year on 3 march\", or a cron such as 0 9 * * 1-5"

const maxLength = 200

/** Right: the five-field cron of a recurrence in words or of a cron. Left: the reason for the refusal, with examples. */
export const recurrenceOf = (text: string): Either.Either<string, string> => {
  if (text.length > maxLength) return Either.left(`at most ${maxLength} characters, such as ${recurrenceExamples}`)
  if (isCronText(text)) return cronOf(text)
  return phrasesOf(text).pipe(
    Either.flatMap(cronFrom),
    Either.mapLeft((reason) => `${reason}. What works: ${recurrenceExamples}`),
    Either.flatMap(cronOf)
  )
}

const cronFrom = (phrases: Phrases): Either.Either<string, string> => {
  const { every, monthDays, monthWeekdays, months, times, unit, weekdays } = phrases
  const ofMonth = monthDays.size + monthWeekdays.size
  if (weekdays.size > 0 && (ofMonth > 0 || unit === "month" || unit === "year")) {
    return Either.left("weekdays and days of the month can't be combined: leave one of them out")
  }
  if (monthDays.size > 0 && monthWeekdays.size > 0) {
    return Either.left("days and weekdays of a month need a schedule each")
  }
  const isFirst = ofMonth === 0 && weekdays.size === 0
  const onFirst = isFirst ? { ...phrases, monthDays: new Set(["1"]) } : phrases
  switch (unit) {
    case "minute":
    case "hour":
      return times.length > 0
        ? Either.left(`an interval of ${unit}s and a time of day exclude each other: leave one of them out`)
        : every === 1 || (unit === "minute" ? 60 : 24) % every === 0
        ? Either.right(`${unit === "minute" ? `${step(every)} *` : `0 ${step(every)}`} ${daysOf(phrases)}`)
        : Either.left(unevenly(every, unit))
    case "day":
      return every === 1 ? timed(phrases, daysOf(phrases)) : Either.left(
        `every ${every} days can't be scheduled: name weekdays or days of the month instead, such as "every monday and `
          + "thursday at 9\" or \"on the 1st and 15th at 9\""
      )
    case "week": {
      const days = daysOf({ ...phrases, weekdays: weekdays.size === 0 ? new Set([1]) : weekdays })
      if (every === 1 && ofMonth === 0) return timed(phrases, days)
      return every > 52 || ofMonth + months.size > 0
        ? Either.left(`every ${every} weeks, only weekdays can be scheduled, such as "every ${every} weeks on friday"`)
        : timed(phrases, `${weekdays.size === 7 ? "* * 0-6" : days}%${every}`)
    }
    case "month":
      if (12 % every !== 0) return Either.left(unevenly(every, unit))
      return timed(phrases, daysOf({ ...onFirst, months: everyNth(months, every) }))
    case "year":
      return every === 1
        ? timed(phrases, daysOf({ ...onFirst, months: months.size === 0 ? new Set([1]) : months }))
        : Either.left(`every ${every} years can't be scheduled: use "every year on 3 march"`)
    case null:
      return timed(phrases, daysOf(months.size > 0 ? onFirst : phrases))
  }
}

const step = (every: number): string => every === 1 ? "*" : `*/${every}`

const steps = {
  minute: "1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30",
  hour: "1, 2, 3, 4, 6, 8 or 12",
  month: "1, 2, 3, 4 or 6"
}

const unevenly = (every: number, unit: keyof typeof steps): string =>
  `every ${every} ${unit}s can't be scheduled, because they don't divide ${
    unit === "minute" ? "an hour" : unit === "hour" ? "a day" : "a year"
  } evenly: use every ${steps[unit]}`

type Days = Pick<Phrases, "weekdays" | "monthWeekdays" | "monthDays" | "months">

const everyNth = (given: ReadonlySet<number>, every: number): ReadonlySet<number> =>
  given.size > 0 || every === 1
    ? given
    : new Set(Array.from({ length: 12 / every }, (_, index) => 1 + index * every))

const list = (values: ReadonlySet<number>): string => {
  const sorted = [...values].sort((one, other) => one - other)
  const [from = 0] = sorted
  const isRange = sorted.length > 2 && sorted.every((value, index) => value === from + index)
  return sorted.length === 0 ? "*" : isRange ? `${from}-${from + sorted.length - 1}` : sorted.join(",")
}

const daysOf = ({ monthDays, monthWeekdays, months, weekdays }: Days): string => {
  const dates = list(new Set([...monthDays].flatMap((day) => /^\d+$/.test(day) ? [Number(day)] : [])))
  const special = [...monthDays].filter((day) => !/^\d+$/.test(day))
  const onDates = special.length === 0 ? dates : [...(dates === "*" ? [] : [dates]), ...special].join(",")
  const onWeekdays = monthWeekdays.size > 0 ? [...monthWeekdays].join(",") : weekdays.size === 7 ? "*" : list(weekdays)
  return `${onDates} ${list(months)} ${onWeekdays}`
}

const morning = { hour: 9, minute: 0 }

const timed = ({ times }: Phrases, days: string): Either.Either<string, string> => {
  const [one = morning, ...others] = times
  return others.some(({ minute }) => minute !== one.minute)
    ? Either.left("times with different minutes need a schedule each")
    : Either.right(`${one.minute} ${list(new Set([one, ...others].map(({ hour }) => hour)))} ${days}`)
}
