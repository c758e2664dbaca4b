import * as Chrono from "chrono-node/en"
import { DateTime, Either, Option } from "effect"
import { withClockTimes } from "./ClockTimes.ts"
import { nextRuns, timeAt, type WallClock, wallClockAt } from "./CronText.ts"
import { dateCronOf, recurrenceOf, saysEvery } from "./Recurrence.ts"

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
  const shown = (time: DateTime.Utc) => `"${given}" is ${timeInWords(time, context.zone)}, which is`
  return Option.getOrElse(
    isoTime(given.replace(/^(?:at|on|by) (?=\d{4}-)/i, ""), context.zone),
    () => readTime(given, context)
  ).pipe(
    Either.filterOrLeft(
      (time) => DateTime.greaterThan(time, context.now),
      (time) => `${shown(time)} in the past: name a later time`
    ),
    Either.filterOrLeft(
      (time) => DateTime.lessThan(time, DateTime.add(context.now, { years: maxYears })),
      (time) => `${shown(time)} more than ${maxYears} years ahead`
    ),
    Either.mapLeft((reason) => `${reason}. What works: ${timeExamples}`)
  )
}

/** On the clock of the time zone, such as "Friday, 27 November 2026 at 18:30 (Europe/Berlin)". */
export const timeInWords = (time: DateTime.DateTime, zone: DateTime.TimeZone): string => {
  const local = DateTime.setZone(time, zone)
  return `${DateTime.format(local, { locale: "en-GB", dateStyle: "full", timeStyle: "short" })} (${
    DateTime.zoneToString(zone)
  })`
}

const unreadable = (text: string) => `"${text}" is not understood as a time`

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

/** What chrono does not know, in words that it knows. */
const spellings: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:the )?day after tomorrow\b/g, "overmorrow"],
  [/\b(?:the|this coming|coming) /g, ""],
  [/\bfortnights?\b/g, "2 weeks"],
  [/\ban? (?=2 weeks)/g, ""],
  [/(?<=\b(?:minute|hour|day|week|month|year)s?)(?:'s|s'|') time\b/g, ""],
  [/\ba half hour\b/g, "half an hour"],
  [/\b(?:a )?quarter of an hour\b/g, "15 minutes"],
  [/\b3 quarters of an hour\b/g, "45 minutes"],
  [/\b(\d+) and a half (?=hour|minute|day|week|month|year)/g, "$1.5 "],
  [/\b(\d+) and a quarter (?=hour)/g, "$1.25 "],
  [/\b(?:an?|1) hour and a quarter\b/g, "75 minutes"],
  [/\b(\d+) hours and a quarter\b/g, "$1.25 hours"],
  [/\b(?:an?|1) (hour|minute|day|week|month|year) and a half\b/g, "1.5 $1s"],
  [/\b(\d+) (hours|minutes|days|weeks|months|years) and a half\b/g, "$1.5 $2"],
  [/\beo(?=[dwmy]\b)/g, "end of "],
  [/\bend of (?:this )?(?:d|day|today)\b(?=.* at \d| ?at \d)/g, "today"],
  [/\bend of (?:this )?(?:d|day|today)\b/g, "today at 18:00"],
  [/\bend of next week\b/g, "friday next week"],
  [/\bend of next (month|year)\b(?!.* at \d)/g, "end of next $1 at 09:00"],
  [/\bend of (?:this )?(?:w|week)\b(?=.* at \d)/g, "friday"],
  [/\bend of (?:this )?(?:w|week)\b/g, "friday at 18:00"],
  [/\bend of (?:this )?(?:m|month)\b/g, "end of month"],
  [/\bend of (?:this )?(?:y|year)\b/g, "31 december"]
]

const readTime = (text: string, { now, zone }: TimeContext): Either.Either<DateTime.Utc, string> => {
  if (/\d\/\d|\b(?:0?\d|1[0-2])[.-](?:0?\d|1[0-2])[.-]\d{2,4}\b/.test(text)) {
    return Either.left(`${text} may be two dates: write the month as a word`)
  }
  if (saysEvery(text) && Either.isRight(recurrenceOf(text))) return Either.left(`${unreadable(text)}: it means several`)
  const ambiguous = bareHours(text)
  if (ambiguous !== null) return Either.left(ambiguous)
  const clock = wallClockAt(now, zone)
  return Either.flatMap(
    withClockTimes(text),
    (words) =>
      Option.match(chronoTime(spellings.reduce((one, [from, to]) => one.replaceAll(from, to), words), clock), {
        onNone: () =>
          Option.flatMap(
            dateCronOf(text),
            (cron) => Option.fromNullable(nextRuns(cron, { after: now, zone, count: 1 })[0])
          )
            .pipe(Either.fromOption(() => unreadable(text))),
        onSome: (start) => pointOf(start, text, { clock, now, zone })
      })
  )
}

/** Many write 18h for 18:00, where others read a duration. */
const bareHours = (text: string): string | null => {
  const [, hours = "", minutes] = /^(?!in\s)(?:\D*\s)?(\d{1,2}) ?h(\d\d)?[.!]?$/i.exec(text) ?? []
  if (hours === "" || Number(hours) > 23) return null
  const duration = minutes === undefined ? `${hours}h` : `${hours}h ${minutes}m`
  return `"${text}" may be a time of day or a duration: write ${hours}:${minutes ?? "00"}, or "in ${duration}"`
}

type Start = Chrono.ParsedResult["start"]

/** chrono mishandles offsets across a change of the clock, so it gets the user's local time. None: not the whole text is one time. */
const chronoTime = (words: string, clock: WallClock): Option.Option<Start> =>
  timeAt(clock, DateTime.zoneMakeLocal()).pipe(
    Option.map((instant) => Chrono.parse(words, DateTime.toDateUtc(instant), { forwardDate: true })),
    Option.flatMap(([found, ...others]) =>
      found !== undefined && others.length === 0 && !found.end && isWhole(words, found) && isPoint(found.start)
        ? Option.some(found.start)
        : Option.none()
    )
  )

/** Whether nothing but a preposition is beside the time: other words may change what is meant. */
const isWhole = (words: string, { index, text: read }: Chrono.ParsedResult): boolean =>
  ["", "at", "on", "by"].includes(words.slice(0, index).trim()) && words.slice(index + read.length).trim() === ""
  && !/\blast\b/.test(words)

/** "This week" is none. */
const isPoint = (start: Start): boolean =>
  start.isCertain("day") || start.isCertain("weekday") || start.isCertain("hour") ||
  start.tags().has("result/relativeDate")

/** Of "friday 28 november", one of both may be a slip. */
const isOtherWeekday = (start: Start, date: DateTime.Utc): boolean =>
  start.isCertain("day") && start.isCertain("weekday") && start.get("weekday") !== DateTime.getPartUtc(date, "weekDay")

const pointOf = (
  start: Start,
  text: string,
  { clock, now, zone }: TimeContext & { readonly clock: WallClock }
): Either.Either<DateTime.Utc, string> => {
  const then = Option.map(DateTime.make(partsOf(start)), (end) => isInMonths(start, text) ? inMonth(end, clock) : end)
  if (Option.exists(then, (date) => isOtherWeekday(start, date))) {
    return Either.left(`the date of "${text}" is another day of the week`)
  }
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
  const isOver = !start.isCertain("day") && Option.exists(then, (end) => DateTime.lessThanOrEqualTo(end, clock))
  const next = Option.map(then, (end) => isOver ? DateTime.add(end, { days: start.isCertain("weekday") ? 7 : 1 }) : end)
  return Either.fromOption(Option.flatMap(next, (end) => timeAt(end, zone)), () => `"${text}" does not exist`)
}

/** "In 2 months", "next year": so many whole months later. */
const isInMonths = (start: Start, text: string): boolean =>
  start.tags().has("result/relativeDate") && /\b(?:month|year)/i.test(text) &&
  !/\b(?:day|week|hour|minute)|\./i.test(text)

/** Where the month has no such day it is its last one: chrono takes a month after 30 January for 1 or 2 March. */
const inMonth = (end: DateTime.Utc, clock: WallClock): DateTime.Utc => {
  const day = DateTime.getPartUtc(end, "day")
  const last = DateTime.subtract(end, { days: day })
  return day === DateTime.getPartUtc(clock, "day") - DateTime.getPartUtc(last, "day") ? last : end
}

/** A day without a time is its morning; "in 3 days" keeps the time of day. */
const partsOf = (start: Start) => {
  const part = (name: Chrono.Component) => start.get(name) ?? 0
  const date = { year: part("year"), month: part("month"), day: part("day") }
  return start.isCertain("hour") || start.tags().has("result/relativeDate")
    ? { ...date, hours: part("hour"), minutes: part("minute"), seconds: part("second"), millis: part("millisecond") }
    : { ...date, hours: 9, minutes: 0, seconds: 0, millis: 0 }
}
