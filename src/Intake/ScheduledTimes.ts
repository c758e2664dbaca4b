import * as Chrono from "chrono-node/en"
import { DateTime, Either, Option } from "effect"
import { timeAt, type WallClock, wallClockAt } from "./CronText.ts"
import { dayTimes } from "./RecurrencePhrases.ts"

const timeExamples = "\"tomorrow at 9\", \"in 2 hours\", \"friday at 18:30\" or 2027-01-31T09:00"

export interface TimeContext {
  readonly now: DateTime.DateTime
  readonly zone: DateTime.TimeZone
}

const maxLength = 100
const maxYears = 10

/** A future time: ISO 8601, or words in the user's time zone; or why it is none, and what works. */
export const scheduledTimeOf = (text: string, context: TimeContext): Either.Either<DateTime.Utc, string> => {
  const given = text.trim()
  if (given.length > maxLength) return Either.left(`at most ${maxLength} characters, such as ${timeExamples}`)
  return Option.getOrElse(isoTime(given, context.zone), () => timeInWords(given, context)).pipe(
    Either.filterOrLeft(
      (time) => DateTime.greaterThan(time, context.now),
      (time) => `${DateTime.formatIso(time)} is in the past`
    ),
    Either.filterOrLeft(
      (time) => DateTime.lessThan(time, DateTime.add(context.now, { years: maxYears })),
      (time) => `${DateTime.formatIso(time)} is more than ${maxYears} years ahead`
    ),
    Either.mapLeft((reason) => `${reason}. What works: ${timeExamples}`)
  )
}

const unreadable = (text: string) => Either.left(`"${text}" is not understood as a time`)

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

/** Without an offset it is the local time, and a date alone is its morning. */
const isoTime = (text: string, zone: DateTime.TimeZone): Option.Option<Either.Either<DateTime.Utc, string>> =>
  Option.map(Option.fromNullable(iso.exec(text)), ([, date = "", time = "09:00", offset]) => {
    const clock = Option.map(DateTime.make(`${date}T${time}${offset?.toUpperCase() ?? "Z"}`), DateTime.toUtc)
    const found = offset === undefined ? Option.flatMap(clock, (one) => timeAt(one, zone)) : clock
    // JavaScript takes 31 February for 3 March.
    const exists = Option.exists(DateTime.make(`${date}T00:00:00Z`), (day) => DateTime.formatIsoDateUtc(day) === date)
    return Either.fromOption(Option.filter(found, () => exists), () => `${text} does not exist`)
  })

/** chrono mishandles offsets across a change of the clock, so it gets the user's local time. */
const timeInWords = (text: string, { now, zone }: TimeContext): Either.Either<DateTime.Utc, string> => {
  if (/\d\/\d/.test(text)) return Either.left(`${text} may be two dates: write the month as a word`)
  if (/\blast\b/i.test(text)) return unreadable(text)
  const ambiguous = bareHours(text)
  if (ambiguous !== null) return Either.left(ambiguous)
  const clock = wallClockAt(now, zone)
  const [found, ...others] = readWords(text, clock)
  if (found === undefined || others.length > 0 || found.end || !isWhole(text, found)) return unreadable(text)
  const { start } = found
  const then = DateTime.make(partsOf(start))
  if (start.tags().has("result/relativeDateAndTime") || start.tags().has("casualReference/now")) {
    const later = Option.map(
      then,
      (end) => DateTime.add(DateTime.toUtc(now), { millis: DateTime.distance(clock, end) })
    )
    return Either.fromOption(later, () => `"${text}" is too far away`)
  }
  if (start.isCertain("timezoneOffset")) {
    return start.get("timezoneOffset") === 0
      ? Either.fromOption(then, () => `"${text}" does not exist`)
      : Either.left(`"${text}" names a time zone: leave it out, and give timezone, such as Europe/Berlin`)
  }
  const isOver = start.isCertain("weekday") && !start.isCertain("day")
    && Option.exists(then, (end) => DateTime.lessThanOrEqualTo(end, clock))
  const hour = namedHour(start)
  if (hour !== undefined && Option.exists(then, (end) => isOverToday(text, end, clock))) {
    return Either.left(`"${text}" means ${hour}:00, which is past: name a later time, such as "tonight at 23:00"`)
  }
  const next = Option.map(then, (end) => isOver ? DateTime.add(end, { weeks: 1 }) : end)
  return Either.fromOption(Option.flatMap(next, (end) => timeAt(end, zone)), () => `"${text}" does not exist`)
}

/** Many write 18h for 18:00, where others read a duration. */
const bareHours = (text: string): string | null => {
  const [, hours = "", minutes] = /^(?!in\s)(?:\D*\s)?(\d{1,2}) ?h(\d\d)?[.!]?$/i.exec(text) ?? []
  if (hours === "" || Number(hours) > 23) return null
  const duration = minutes === undefined ? `${hours}h` : `${hours}h ${minutes}m`
  return `"${text}" may be a time of day or a duration: write ${hours}:${minutes ?? "00"}, or "in ${duration}"`
}

const readWords = (text: string, clock: WallClock): ReadonlyArray<Chrono.ParsedResult> =>
  Option.match(timeAt(clock, DateTime.zoneMakeLocal()), {
    onNone: () => [],
    onSome: (instant) => Chrono.parse(text, DateTime.toDateUtc(instant), { forwardDate: true })
  })

/** Whether nothing but a preposition is beside the time: other words may change what is meant. */
const isWhole = (text: string, { index, text: read }: Chrono.ParsedResult): boolean =>
  ["", "at", "on", "by"].includes(text.slice(0, index).trim().toLowerCase())
  && ["", ".", "!"].includes(text.slice(index + read.length).trim())

/** chrono takes the evening of tomorrow for "this evening" once that of today is over. */
const isOverToday = (text: string, end: WallClock, clock: WallClock): boolean =>
  DateTime.lessThanOrEqualTo(end, clock)
  || (/\bthis (?:morning|noon|afternoon|evening|night)\b/i.test(text)
    && DateTime.formatIsoDateUtc(end) !== DateTime.formatIsoDateUtc(clock))

const namedHour = (start: Chrono.ParsedResult["start"]): number | undefined => {
  if (start.isCertain("hour")) return undefined
  const tags = start.tags()
  return Object.entries(dayTimes).find(([name]) => tags.has(`casualReference/${name}`))?.[1]
    ?? (tags.has("casualReference/tonight") ? dayTimes.night : undefined)
}

/** A day without a time is its morning; "in 3 days" keeps the time of day. */
const partsOf = (start: Chrono.ParsedResult["start"]) => {
  const part = (name: Chrono.Component) => start.get(name) ?? 0
  const date = { year: part("year"), month: part("month"), day: part("day") }
  return start.isCertain("hour") || start.tags().has("result/relativeDate")
    ? { ...date, hours: part("hour"), minutes: part("minute"), seconds: part("second"), millis: part("millisecond") }
    : { ...date, hours: namedHour(start) ?? dayTimes.morning, minutes: 0, seconds: 0, millis: 0 }
}
