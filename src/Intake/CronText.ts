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

/** `0 9 * * 1%2+1`: the Mondays of every second week, with the remainder 1 by the number of the week. */
interface Plan {
  readonly cron: string
  readonly weeks: number
  /** Null: not chosen yet. */
  readonly remainder: number | null
}

const planOf = (text: string): Plan => {
  const [, cron = text, weeks = "1", remainder = null] =
    /^(\S+ \S+ \* \* [\d,*a-z-]+)%(\d{1,2})(?:\+(\d{1,2}))?$/.exec(text)
      ?? []
  return { cron, weeks: Number(weeks), remainder: remainder === null ? null : Number(remainder) }
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
  const { cron: pattern, remainder, weeks } = planOf(cron)
  if (weeks < 1 || weeks > 52 || (remainder ?? 0) >= weeks) return Either.left(`${cron}: between 1 and 52 weeks`)
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
  const { cron: pattern, remainder, weeks } = planOf(cron)
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
        const skipped = ((remainder ?? 0) - weekOf(clock) % weeks + weeks) % weeks
        if (skipped === 0) runs.push(run)
        // Every week has a run, so the next one is in the week that has the remainder.
        from = skipped === 0 ? run : beforeWeek(weekOf(clock) + skipped, zone)
      }
      return runs
    }
  })
}

/** A cron of every so many weeks, which begins with the first run after a time. */
export const beginningAfter = (cron: string, zone: DateTime.TimeZone, after: DateTime.Utc): string => {
  const { cron: pattern, remainder, weeks } = planOf(cron)
  const [first] = nextRuns(pattern, { after, zone, count: 1 })
  return weeks === 1 || remainder !== null || first === undefined
    ? cron
    : `${cron}+${weekOf(wallClockAt(first, zone)) % weeks}`
}

const days = 24 * 60 * 60_000

/** Weeks begin on Monday; 1 January 1970 was a Thursday. */
const weekOf = ({ epochMillis }: WallClock): number => Math.floor((epochMillis / days + 3) / 7)

const beforeWeek = (week: number, zone: DateTime.TimeZone): DateTime.Utc => {
  const monday = DateTime.unsafeMake((week * 7 - 3) * days)
  return DateTime.subtract(Option.getOrElse(timeAt(monday, zone), () => monday), { seconds: 1 })
}
