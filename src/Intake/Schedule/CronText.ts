import { Cron } from "croner"
import { DateTime, Either, Option } from "effect"

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

/**
 * `0 9 * * 1%2+1`: the Mondays of every second week, with the remainder 1 by the number of the week; `0 9 *%2+1 * *`: every
 * second day.
 */
interface Plan {
  readonly cron: string
  /** The days of one period, of which every `every`th has runs. */
  readonly days: 1 | 7
  readonly every: number
  /** Null: not chosen yet. */
  readonly remainder: number | null
}

const planOf = (text: string): Plan => {
  const [, before = text, every = "1", remainder = null, after = ""] =
    /^(\S+ \S+ \* \* [\d,*a-z-]+|\S+ \S+ \*)%(\d{1,2})(?:\+(\d{1,2}))?( \S+ \*)?$/.exec(text) ?? []
  return {
    cron: `${before}${after}`,
    days: after === "" ? 7 : 1,
    every: Number(every),
    remainder: remainder === null ? null : Number(remainder)
  }
}

const parsed = Option.liftThrowable((cron: string, timezone: string) =>
  new Cron(cron, { mode: "5-part", timezone, fixedTimeRule: "no-wildcard" })
)

const modifiers = /(?<=[\s\d,#])(?:lw|l|w)(?=[\s,]|$)/g

const epoch = DateTime.unsafeMake(0)

/** A five-field cron in one form: single blanks, names in lower case; or why it is none. */
export const cronOf = (text: string): Either.Either<string, string> => {
  const cron = aliases[text.trim().toLowerCase()] ??
    fields(text.toLowerCase()).join(" ").replaceAll(modifiers, (found) => found.toUpperCase())
  if (fields(cron).length !== 5) {
    return Either.left("a cron has five fields: minute, hour, day of the month, month, weekday, such as 0 9 * * 1-5")
  }
  const { cron: pattern, every, remainder } = planOf(cron)
  if (every < 1 || every > 52 || (remainder ?? 0) >= every) {
    return Either.left(`${cron}: the number after % is between 1 and 52, the number after + smaller`)
  }
  return Either.try({
    try: () => new Cron(pattern, { mode: "5-part", timezone: "UTC" }).nextRun(DateTime.toDateUtc(epoch)),
    catch: (error) => error instanceof Error ? error.message.replace(/^\w+: /, "") : String(error)
  }).pipe(
    Either.filterOrLeft((first) => first !== null, () => `${cron} never occurs: that month has no such day`),
    Either.map(() => cron)
  )
}

/** The next runs after a time, each later than the one before. None for a cron that `cronOf` refuses. */
export const nextRuns = (
  cron: string,
  { after, count, zone }: {
    readonly zone: DateTime.TimeZone
    readonly after: DateTime.DateTime
    readonly count: number
  }
): ReadonlyArray<DateTime.Utc> => {
  const { cron: pattern, days, every, remainder } = planOf(cron)
  return Option.match(parsed(pattern, DateTime.zoneToString(zone)), {
    onNone: () => [],
    onSome: (job) => {
      const runs: Array<DateTime.Utc> = []
      let from = DateTime.toUtc(after)
      while (runs.length < count) {
        const date = job.nextRun(DateTime.toDateUtc(from))
        if (date === null) break
        const run = DateTime.unsafeMake(date)
        const clock = wallClockAt(run, zone)
        const period = periodOf(clock, days)
        const skipped = ((remainder ?? 0) - period % every + every) % every
        if (skipped === 0) runs.push(run)
        from = skipped === 0 ? run : beforePeriod(period + skipped, days, zone)
      }
      return runs
    }
  })
}

/** A cron of every so many weeks or days, which begins with the first run after a time. */
export const beginningAfter = (cron: string, zone: DateTime.TimeZone, after: DateTime.Utc): string => {
  const { cron: pattern, days, every, remainder } = planOf(cron)
  const [first] = nextRuns(pattern, { after, zone, count: 1 })
  return every === 1 || remainder !== null || first === undefined
    ? cron
    : cron.replace(/%\d+/, (found) => `${found}+${periodOf(wallClockAt(first, zone), days) % every}`)
}

const day = 24 * 60 * 60_000

/** The number of a day or a week. Weeks begin on Monday; 1 January 1970 was a Thursday. */
const periodOf = ({ epochMillis }: WallClock, days: Plan["days"]): number =>
  Math.floor((Math.floor(epochMillis / day) + (days === 7 ? 3 : 0)) / days)

const beforePeriod = (period: number, days: Plan["days"], zone: DateTime.TimeZone): DateTime.Utc => {
  const start = DateTime.unsafeMake((period * days - (days === 7 ? 3 : 0)) * day)
  return DateTime.subtract(Option.getOrElse(timeAt(start, zone), () => start), { seconds: 1 })
}
