import { Cron, Either } from "effect"
import { monthNames, weekdayNames } from "./RecurrenceWords.ts"

/** A cron in words that `recurrenceOf` reads as the same one; `cron ...` where it has no short words. */
export const recurrenceText = (cron: string): string =>
  Either.match(Cron.parse(cron), {
    onLeft: () => `cron ${cron}`,
    onRight: (parsed) => wordsOf(parsed) ?? `cron ${cron}`
  })

const wordsOf = ({ days, hours, minutes, months, weekdays }: Cron.Cron): string | null => {
  const [minute = 0] = minutes
  const hourStep = stepOf(hours, 24)
  if (hours.size === 0 || (minutes.size === 1 && minute === 0 && hourStep !== null)) {
    if (days.size + months.size > 0) return null
    const interval = hours.size > 0
      ? intervalOf(hourStep, "hour")
      : minutes.size === 0
      ? "every minute"
      : minute === 0
      ? intervalOf(minutes.size === 1 ? 1 : stepOf(minutes, 60), minutes.size === 1 ? "hour" : "minute")
      : null
    return interval === null || weekdays.size === 0 ? interval : `${interval} on ${weekdaysOf(weekdays)}`
  }
  const date = dateOf({ days, months, weekdays })
  if (minutes.size !== 1 || date === null) return null
  return `${date} at ${joined([...hours].map((hour) => `${twoDigits(hour)}:${twoDigits(minute)}`))}`
}

const intervalOf = (every: number | null, unit: string): string | null =>
  every === null ? null : every === 1 ? `every ${unit}` : `every ${every} ${unit}s`

/** The step of 0, n, 2n, ... up to the end; null for other values. */
const stepOf = (values: ReadonlySet<number>, end: number): number | null => {
  const step = end / values.size
  const isStepped = values.size > 1 && Number.isInteger(step) &&
    [...values].every((value, index) => value === index * step)
  return isStepped ? step : null
}

const dateOf = ({ days, months, weekdays }: Pick<Cron.Cron, "days" | "months" | "weekdays">): string | null => {
  if (days.size === 0) {
    if (months.size > 0) return null
    return weekdays.size === 0 ? "every day" : `every ${weekdaysOf(weekdays)}`
  }
  if (weekdays.size > 0) return null
  const ordinals = joined([...days].map((day) => `${day}${ordinalOf(day)}`))
  const names = months.size === 0
    ? "every month"
    : joined([...months].map((month) => capitalised(monthNames[month - 1] ?? "")))
  return `on the ${ordinals} of ${names}`
}

const weekdaysOf = (weekdays: ReadonlySet<number>): string => {
  const days = [...weekdays]
  return days.join() === "1,2,3,4,5" ? "weekday" : joined(days.map((day) => capitalised(weekdayNames[day] ?? "")))
}

const ordinalOf = (day: number): string =>
  day % 10 === 1 && day !== 11 ? "st" : day % 10 === 2 && day !== 12 ? "nd" : day % 10 === 3 && day !== 13 ? "rd" : "th"

const capitalised = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

const joined = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`

const twoDigits = (value: number): string => value.toString().padStart(2, "0")
