import { Either } from "effect"

export const monthNames = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december"
] as const

export const weekdayNames = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

export interface ClockTime {
  readonly hour: number
  readonly minute: number
}

export type RecurrenceUnit = "minute" | "hour" | "day" | "week" | "month" | "year"

/** One word of a recurrence, or a few that belong together. */
export type Token =
  | { readonly _tag: "Time"; readonly time: ClockTime }
  | { readonly _tag: "MonthDay"; readonly day: number }
  | { readonly _tag: "Number"; readonly value: number }
  | { readonly _tag: "Weekdays"; readonly days: ReadonlyArray<number> }
  | { readonly _tag: "Month"; readonly month: number }
  | { readonly _tag: "Unit"; readonly unit: RecurrenceUnit }
  | { readonly _tag: "Interval"; readonly unit: RecurrenceUnit; readonly every: number }
  | { readonly _tag: "At" }
  | { readonly _tag: "Every" }
  | { readonly _tag: "To" }
  | { readonly _tag: "Filler" }

/** The hours of the times of day that have a name. */
export const dayTimes = {
  morning: 9,
  noon: 12,
  midday: 12,
  afternoon: 15,
  evening: 18,
  night: 21,
  midnight: 0
} as const

const weekdays: Token = { _tag: "Weekdays", days: [1, 2, 3, 4, 5] }
const interval = (unit: RecurrenceUnit, every = 1): Token => ({ _tag: "Interval", unit, every })

/** Words whose plural means the same. */
const nouns = new Map<string, Token>([
  ...weekdayNames.map((name, day) => [name, { _tag: "Weekdays", days: [day] }] as const),
  ...(["minute", "hour", "day", "week", "month", "year"] as const).map((unit) =>
    [unit, { _tag: "Unit", unit }] as const
  ),
  ...Object.entries(dayTimes).map(([name, hour]) => [name, { _tag: "Time", time: { hour, minute: 0 } }] as const),
  ["min", { _tag: "Unit", unit: "minute" }],
  ["hr", { _tag: "Unit", unit: "hour" }],
  ["weekday", weekdays],
  ["workday", weekdays],
  ["weekend", { _tag: "Weekdays", days: [0, 6] }],
  ["quarter", interval("month", 3)]
])

const others = new Map<string, Token>([
  ...weekdayNames.map((name, day) => [name.slice(0, 3), { _tag: "Weekdays", days: [day] }] as const),
  ...[["tues", 2], ["thur", 4], ["thurs", 4]].map(([name, day]) =>
    [String(name), { _tag: "Weekdays", days: [Number(day)] }] as const
  ),
  ...monthNames.flatMap((name, index) =>
    [name, name.slice(0, 3)].map((each) => [each, { _tag: "Month", month: index + 1 }] as const)
  ),
  ["sept", { _tag: "Month", month: 9 }],
  ["hourly", interval("hour")],
  ["daily", interval("day")],
  ["weekly", interval("week")],
  ["monthly", interval("month")],
  ["quarterly", interval("month", 3)],
  ["yearly", interval("year")],
  ["annually", interval("year")],
  ["at", { _tag: "At" }],
  ...["-", "to", "through"].map((word) => [word, { _tag: "To" }] as const),
  ...["every", "each"].map((word) => [word, { _tag: "Every" }] as const),
  ...["on", "the", "of", "in", "and", ",", "&", "a", "o'clock"].map((word) => [word, { _tag: "Filler" }] as const)
])

const unsayable = new Map([
  ...["other", "alternate", "second", "fortnight", "biweekly"].map((word) =>
    [
      word,
      `"${word}" can't be scheduled: name weekdays or days of the month instead`
    ] as const
  ),
  ...["last", "first", "third", "fourth"].map((word) =>
    [word, `"${word}" can't be scheduled: name a weekday, or a day of the month such as the 1st`] as const
  )
])

const wordOf = (word: string): Either.Either<Token, string> => {
  const token = others.get(word) ?? nouns.get(word) ?? (word.endsWith("s") ? nouns.get(word.slice(0, -1)) : undefined)
  return token === undefined
    ? Either.left(unsayable.get(word) ?? `"${word}" is not understood in a recurrence`)
    : Either.right(token)
}

/** `9:30`, `9am`, `9:30 pm`, `21:00`. */
const timeOf = (text: string): Either.Either<Token, string> => {
  const [, hours = "", minutes = "0", half] = /^(\d{1,2})(?::(\d\d))? ?([ap])?/.exec(text) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  const isKnown = minute < 60 && (half === undefined ? hour < 24 : hour >= 1 && hour <= 12)
  return isKnown
    ? Either.right({
      _tag: "Time",
      time: { hour: half === undefined ? hour : hour % 12 + (half === "p" ? 12 : 0), minute }
    })
    : Either.left(`${text} is no time of day`)
}

const monthDayOf = (text: string): Either.Either<Token, string> => {
  const day = Number.parseInt(text, 10)
  return day >= 1 && day <= 31
    ? Either.right({ _tag: "MonthDay", day })
    : Either.left(`no month has a day ${day}`)
}

const pieces = /\d{1,2}(?::\d\d)? ?[ap]m\b|\d{1,2}:\d\d\b|\d{1,2}(?:st|nd|rd|th)\b|\d+|o'clock|[a-z]+|\S/g

/** Every word of a recurrence; fails for one that is none of ours. */
export const tokensOf = (text: string): Either.Either<ReadonlyArray<Token>, string> =>
  Either.all(
    (text.toLowerCase().replaceAll("a.m.", "am").replaceAll("p.m.", "pm")
      .replaceAll("working day", "workday").replaceAll("business day", "workday").replaceAll("first day", "1st")
      .match(pieces) ?? []).map((piece) =>
        /^\d+$/.test(piece)
          ? Either.right<Token>({ _tag: "Number", value: Number(piece) })
          : /^\d+[snrt]/.test(piece)
          ? monthDayOf(piece)
          : /^\d/.test(piece)
          ? timeOf(piece)
          : wordOf(piece)
      )
  )
