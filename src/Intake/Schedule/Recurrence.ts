import { Either, Option } from "effect"
import { plainWords, withClockTimes } from "./ClockTimes.ts"
import { cronOf, isCronText } from "./CronText.ts"
import { field, type Phrase, phraseOf } from "./RecurrencePhrases.ts"

/** Examples of recurrences, for people and error texts. */
export const recurrenceExamples =
  "\"every weekday at 9\", \"every 2 hours\", \"mondays and thursdays at 18:30\", \"every other friday\", \"monthly on the 1st\", "
  + "\"last friday of every month\", \"every 3 months\", \"every year on 3 march\", or a cron such as 0 9 * * 1-5"

const maxLength = 200

const dayName = "(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*"
const recurring = new RegExp(
  "\\b(?:every|each|everyday|hourly|daily|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annually|weekends"
    + "|(?:sun|mon|tues|wednes|thurs|fri|satur|week|work|working |business )days|(?:morning|afternoon|evening|night)s)\\b"
    + `|\\b${dayName} ?(?:to|through|thru|-|–) ?${dayName}\\b`
)

/** Whether words are about more than one time: they have "every", "daily", "mondays" or the like. */
export const saysEvery = (text: string): boolean => recurring.test(plainWords(text))

/**
 * Right: the five-field cron of a recurrence in words or of a cron. Left: the reason for the refusal, with examples.
 * "Every" may be left out, but not where the words mean one time, such as "in the morning".
 */
export const recurrenceOf = (text: string): Either.Either<string, string> => {
  if (text.length > maxLength) return Either.left(`at most ${maxLength} characters, such as ${recurrenceExamples}`)
  if (isCronText(text)) return cronOf(text)
  return meantPhrase(text).pipe(
    Either.flatMap(cronFrom),
    Either.mapLeft((reason) => `${reason}. What works: ${recurrenceExamples}`),
    Either.flatMap(cronOf)
  )
}

const meantPhrase = (text: string): Either.Either<Read, string> =>
  saysEvery(text)
    ? phraseIn(text)
    : /^(?:in|on|at|by|this|next|an?)\b/.test(plainWords(text))
    ? Either.left(`"${text}" may be meant once: say how often, such as "every day at 9" or "every month on the 5th"`)
    : Either.orElse(phraseIn(text), (reason) => Either.mapLeft(phraseIn(`every ${text}`), () => reason))

/** The cron whose next run is meant by words about one day of the month or the year, such as "on the 5th at 9". */
export const dateCronOf = (text: string): Option.Option<string> =>
  // "Last friday" is over.
  saysEvery(text) || (/\blast\b/i.test(text) && !/\b(?:of|in)\b/i.test(text))
    ? Option.none()
    : phraseIn(text).pipe(
      Either.filterOrLeft(
        ({ hours, phrase: { dates, months, nths, unit } }) => {
          const named = [dates, months, nths].filter((part) => part !== undefined)
          // "On the 1st and 15th" are two days.
          return (unit === "none" || unit === "month") && named.length > 0 && hours.length <= 1
            && !named.some((part) => /[,-]/.test(part))
        },
        () => "no date"
      ),
      Either.flatMap(cronFrom),
      Either.flatMap(cronOf),
      Either.getRight
    )

interface Read {
  readonly phrase: Phrase
  readonly hours: ReadonlyArray<number>
  readonly minute: number | null
}

const times = /at \d\d:\d\d(?:(?: ?,| and| ?, and)? at \d\d:\d\d)*/g

const phraseIn = (text: string): Either.Either<Read, string> =>
  Either.flatMap(withClockTimes(text), (words) => {
    const [found, ...more] = words.matchAll(times)
    const clocks = (found?.[0].match(/\d\d:\d\d/g) ?? []).map((clock) => clock.split(":").map(Number))
    const minutes = new Set(clocks.map(([, minute = 0]) => minute))
    const [before, after] = found === undefined
      ? [words, ""]
      : [words.slice(0, found.index), words.slice(found.index + found[0].length)]
    // Of "monday at 9 and friday", the time is the Monday's alone; of "monday and 9 am friday", the Friday's.
    const isApart = /^ ?and\b/.test(after) || (before !== "" && /^ ?,/.test(after)) ||
      (after !== "" && /(?:\band|&) ?$/.test(before))
    const phrase = more.length > 0 || isApart ? Option.none() : phraseOf(`${before} ${after}`)
    if (
      Option.isNone(phrase) || (found === undefined && `${before}${after}`.trim() === "")
    ) {
      return Either.left(`"${text}" is not understood as a recurrence`)
    }
    return minutes.size > 1
      ? Either.left("times with different minutes need a schedule each")
      : Either.right({ phrase: phrase.value, hours: clocks.map(([hour = 0]) => hour), minute: [...minutes][0] ?? null })
  })

const steps = {
  minute: [60, "1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30", "an hour"],
  hour: [24, "1, 2, 3, 4, 6, 8 or 12", "a day"],
  month: [12, "1, 2, 3, 4 or 6", "a year"]
} as const

/** So many minutes, hours or months that each hour, day or year has the same ones. */
const evenly = (every: number, unit: keyof typeof steps): Either.Either<number, string> => {
  const [size, possible, whole] = steps[unit]
  return size % every === 0 ? Either.right(every) : Either.left(
    `every ${every} ${unit}s can't be scheduled, because they don't divide ${whole} evenly: use every ${possible}`
  )
}

const cronFrom = ({ hours, minute, phrase }: Read): Either.Either<string, string> => {
  const { dates, days, every, months = "*", nths, unit } = phrase
  const time = `${minute ?? 0} ${field(hours.length === 0 ? [9] : hours)}`
  const named = `${dates ?? ""},${nths ?? ""}`
  const isLast = named.includes("L")
  const onDates = (months: string) =>
    (dates ?? "1").split(",").some((date) => date === "0" || Number(date) > 31)
      ? Either.left("a month has the days 1 to 31")
      : Either.right(`${time} ${dates ?? (nths === undefined ? "1" : "*")} ${months} ${nths ?? "*"}`)
  /** On days of the first or, with "last", of the last month of each period of so many months. */
  const onPeriods = (size: number) =>
    isLast && /(?:^|[,#])\d+(?:,|$)/.test(named)
      ? Either.left(`the first and the last days of every ${size} months need a schedule each`)
      : onDates(field(Array.from({ length: 12 / size }, (_, index) => (isLast ? size : 1) + index * size)))
  switch (unit) {
    case "minute":
    case "hour": {
      if (hours.length > 0) {
        return Either.left(`an interval of ${unit}s and a time of day exclude each other: leave one out`)
      }
      const step = every === 1 ? "*" : `*/${every}`
      const clock = unit === "minute" ? `${step} *` : `0 ${step}`
      return Either.map(evenly(every, unit), () => `${clock} * ${months} ${days ?? "*"}`)
    }
    case "day":
      return every === 1 || every === 2
        ? Either.right(`${time} ${every === 1 ? "*" : "*%2"} ${months} ${days ?? "*"}`)
        : Either.left(
          `every ${every} days can't be scheduled: name weekdays or days of the month instead, such as "every monday and `
            + "thursday at 9\" or \"every month on the 1st and 15th at 9\""
        )
    case "week":
      return every < 1 || every > 52
        ? Either.left(`every ${every} weeks can't be scheduled: use 1 to 52`)
        : Either.right(`${time} * ${months} ${days ?? 1}${every === 1 ? "" : `%${every}`}`)
    case "month":
      return every === 1 ? onDates("*") : Either.flatMap(evenly(every, unit), onPeriods)
    case "year":
      return every > 1
        ? Either.left(`every ${every} years can't be scheduled: use "every year on 3 march"`)
        : phrase.months === undefined
        ? onPeriods(12)
        : onDates(months)
    default:
      return days === undefined && (dates ?? nths ?? phrase.months) !== undefined
        ? onDates(months)
        : Either.right(`${time} * ${months} ${days ?? "*"}`)
  }
}
