import { Either } from "effect"
import { type ClockTime, type RecurrenceUnit, type Token, tokensOf } from "./RecurrenceWords.ts"

/** What the words of a recurrence say, before it is decided whether they make sense together. */
export interface Phrases {
  /** The interval, such as every 2 hours; null: none is named. */
  readonly unit: RecurrenceUnit | null
  readonly every: number
  readonly weekdays: ReadonlySet<number>
  readonly monthDays: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly times: ReadonlyArray<ClockTime>
}

/** Reads the words from left to right; each fills what it names. */
export const phrasesOf = (text: string): Either.Either<Phrases, string> =>
  Either.flatMap(tokensOf(text), (all) => {
    const tokens = all.filter(({ _tag }) => _tag !== "Filler")
    const reader = makeReader()
    for (let index = 0; index < tokens.length;) {
      const read = reader.read(tokens.slice(index, index + 3), tokens[index - 1])
      if (typeof read === "string") return Either.left(read)
      index += read
    }
    return reader.result(text)
  })

/** Takes one phrase after another: how many tokens it took, or why it could not. */
const makeReader = () => {
  const weekdays = new Set<number>()
  const monthDays = new Set<number>()
  const months = new Set<number>()
  const times: Array<ClockTime> = []
  let interval: { readonly unit: RecurrenceUnit; readonly every: number } | null = null
  /** Whether a bare number is an hour: after "at", and after another time. */
  let isTime = false

  const addInterval = (unit: RecurrenceUnit, every: number): string | null => {
    // "monthly on the 1st day", "at 9 every day of the week": the second unit adds nothing.
    const repeats = interval !== null && every === 1 && unit !== "minute" && unit !== "hour"
    if (interval !== null && !repeats) return "name one interval only"
    if (every < 1 || every > 1000) return `"every ${every} ${unit}s" is no interval`
    if (interval === null) interval = { unit, every }
    else if (interval.unit === "day") interval = { unit, every: interval.every }
    return null
  }

  const readNumber = (value: number, next: Token | undefined, before: Token | undefined): number | string => {
    if (next?._tag === "Unit") return addInterval(next.unit, value) ?? 2
    if (isTime) {
      if (value > 23) return `${value} is no hour of the day`
      times.push({ hour: value, minute: 0 })
      return 1
    }
    if (next?._tag === "Month" || before?._tag === "Month" || before?._tag === "MonthDay") {
      if (value < 1 || value > 31) return `no month has a day ${value}`
      monthDays.add(value)
      return 1
    }
    return `"${value}" is not understood here: write "at ${value}:00" for a time of day`
  }

  const read = ([token, next, last]: ReadonlyArray<Token>, before: Token | undefined): number | string => {
    isTime = token?._tag === "At" || token?._tag === "Time" || (isTime && token?._tag === "Number")
    switch (token?._tag) {
      case "Time":
        times.push(token.time)
        return 1
      case "MonthDay":
        monthDays.add(token.day)
        return 1
      case "Month":
        months.add(token.month)
        return 1
      case "Weekdays": {
        const [from = 0] = token.days
        const isRange = next?._tag === "To" && last?._tag === "Weekdays"
        const length = isRange ? (((last.days[0] ?? 0) - from + 7) % 7) + 1 : 0
        for (const day of isRange ? Array.from({ length }, (_, index) => (from + index) % 7) : token.days) {
          weekdays.add(day)
        }
        return isRange ? 3 : 1
      }
      case "Interval":
      case "Unit":
        return addInterval(token.unit, token._tag === "Unit" ? 1 : token.every) ?? 1
      case "Every":
        return 1
      case "Number":
        return readNumber(token.value, next, before)
      case "At":
        return next?._tag === "Time" || next?._tag === "Number" ? 1 : "\"at\" needs a time of day after it"
      default:
        return "\"to\" is understood between two weekdays only"
    }
  }

  return {
    read,
    result: (text: string): Either.Either<Phrases, string> =>
      interval === null && weekdays.size + monthDays.size + months.size + times.length === 0
        ? Either.left(`"${text}" is no recurrence`)
        : Either.right({ ...inLargerUnit(interval), weekdays, monthDays, months, times })
  }
}

/** 60 minutes are an hour, and 7 days a week. */
const inLargerUnit = (interval: { readonly unit: RecurrenceUnit; readonly every: number } | null): Pick<
  Phrases,
  "unit" | "every"
> => {
  if (interval === null) return { unit: null, every: 1 }
  const { every, unit } = interval
  if (unit === "minute" && every % 60 === 0) return inLargerUnit({ unit: "hour", every: every / 60 })
  if (unit === "hour" && every % 24 === 0) return inLargerUnit({ unit: "day", every: every / 24 })
  if (unit === "day" && every % 7 === 0) return inLargerUnit({ unit: "week", every: every / 7 })
  if (unit === "month" && every % 12 === 0) return { unit: "year", every: every / 12 }
  return interval
}
