import { Array, Cron, DateTime, Either, Option } from "effect"

/** A local date and time, as if it were UTC. */
export type WallClock = DateTime.Utc

export const wallClockAt = (time: DateTime.DateTime, zone: DateTime.TimeZone): WallClock =>
  DateTime.unsafeMake(DateTime.toDate(DateTime.setZone(time, zone)))

/** A local time that a clock change skips is that much later; of one that occurs twice it is the first. */
export const timeAt = (clock: WallClock, zone: DateTime.TimeZone): Option.Option<DateTime.Utc> =>
  Option.map(DateTime.makeZoned(clock, { timeZone: zone, adjustForTimeZone: true }), DateTime.toUtc)

const aliases: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *"
}

const fields = (text: string) => text.trim().split(/\s+/)

/** Whether a text is meant as cron. Its fields may still be wrong. */
export const isCronText = (text: string): boolean => {
  const [first = "", second = "", ...rest] = fields(text)
  return first.startsWith("@") || (rest.length >= 2 && [first, second].every((field) => /^[\d*][\d*,/-]*$/.test(field)))
}

/** A five-field cron in one form: single blanks, lower case; or why it is none. */
export const cronOf = (text: string): Either.Either<string, string> => {
  const cron = aliases[text.trim().toLowerCase()] ?? fields(text.toLowerCase()).join(" ")
  if (fields(cron).length !== 5) {
    return Either.left("a cron has five fields: minute, hour, day of the month, month, weekday, such as 0 9 * * 1-5")
  }
  return Either.flatMap(
    Either.mapLeft(Cron.parse(cron), ({ input = cron, message }) => `in the cron field ${input}: ${message}`),
    (parsed) =>
      isPossible(parsed, cron) ? Either.right(cron) : Either.left(`${cron} never occurs: that month has no such day`)
  )
}

const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Days and weekdays are alternatives, so a weekday always comes, unless one of the fields begins with a star. */
const isPossible = ({ days, months, weekdays }: Cron.Cron, cron: string): boolean => {
  const [, , dayField = "", , weekdayField = ""] = fields(cron)
  const isEither = weekdays.size > 0 && !dayField.startsWith("*") && !weekdayField.startsWith("*")
  if (days.size === 0 || isEither) return true
  const first = Math.min(...days)
  return daysIn.some((length, index) => first <= length && (months.size === 0 || months.has(index + 1)))
}

/** The next runs after a time, each later than the one before. None for a cron that `cronOf` refuses. */
export const nextRuns = (
  cron: string,
  { after, count, zone }: {
    readonly zone: DateTime.TimeZone
    readonly after: DateTime.DateTime
    readonly count: number
  }
): ReadonlyArray<DateTime.Utc> =>
  Option.match(Option.flatMap(Either.getRight(cronOf(cron)), (text) => Either.getRight(Cron.parse(text, "UTC"))), {
    onNone: () => [],
    onSome: (parsed) =>
      Array.unfold({ from: DateTime.toUtc(after), left: count }, ({ from, left }) => {
        if (left === 0) return Option.none()
        const next = nextRun(parsed, from, zone)
        return Option.some([next, { from: next, left: left - 1 }])
      })
  })

/**
 * Effect's Cron, given the zone, goes back by an hour where the clock does, so it gets local times here. A run at fixed
 * hours comes once a day, also where its hour occurs twice or not at all; an hourly one keeps its interval.
 */
const nextRun = (cron: Cron.Cron, after: DateTime.Utc, zone: DateTime.TimeZone): DateTime.Utc => {
  const clock = wallClockAt(after, zone)
  let next = nextReading(cron, clock)
  const straight = DateTime.add(after, { millis: DateTime.distance(clock, next) })
  if (cron.hours.size === 0 && Cron.match(cron, wallClockAt(straight, zone))) return straight
  for (;;) {
    const time = Option.getOrElse(timeAt(next, zone), () => straight)
    if (DateTime.greaterThan(time, after)) return time
    next = nextReading(cron, next)
  }
}

const nextReading = (cron: Cron.Cron, clock: WallClock): WallClock => DateTime.unsafeMake(Cron.next(cron, clock))
