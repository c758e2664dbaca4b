import { Either } from "effect"

/** The parts of a recurrence in words. Whether they fit together is checked later. */
export interface Phrases {
  /** The interval, such as every 2 hours; null: none is named. */
  readonly unit: Unit | null
  readonly every: number
  readonly weekdays: ReadonlySet<number>
  /** Weekdays of a month as cron: `1#1` is the first Monday, `5#L` the last Friday. */
  readonly monthWeekdays: ReadonlySet<string>
  /** Days of the month as cron; `L` is the last, `1W` the first workday. */
  readonly monthDays: ReadonlySet<string>
  readonly months: ReadonlySet<number>
  readonly times: ReadonlyArray<ClockTime>
}

type Unit = "minute" | "hour" | "day" | "week" | "month" | "year"

interface ClockTime {
  readonly hour: number
  readonly minute: number
}

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

const indexIn = (words: string, length: number, word = ""): number =>
  words.split(" ").indexOf(word.slice(0, length).toLowerCase())
const weekdayOf = (word?: string): number => indexIn("su mo tu we th fr sa", 2, word)
const monthOf = (word?: string): number => 1 + indexIn("jan feb mar apr may jun jul aug sep oct nov dec", 3, word)

const weekday =
  "((?:sun|mon|fri)(?:days?)?|tue(?:s(?:days?)?)?|wed(?:nesdays?)?|thu(?:rs?(?:days?)?)?|sat(?:urdays?)?)\\b"
const workday = "(?:weekday|workday|(?:working|business) day)s?\\b"
const month = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
  + "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b"
const nth = "(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)"
const nthList = `(${nth}(?:(?:,| and|, and) ${nth})*)`
const nths = (list = ""): ReadonlyArray<string> =>
  (list.match(new RegExp(nth, "g")) ?? []).map((word) =>
    word === "last"
      ? "L"
      : /^\d/.test(word)
      ? word.slice(0, 1)
      : `${1 + indexIn("first second third fourth fifth", 6, word)}`
  )
const clockTimes = Object.keys(dayTimes).join("|")
const units = {
  minute: ["minute", 1],
  min: ["minute", 1],
  hour: ["hour", 1],
  hr: ["hour", 1],
  day: ["day", 1],
  week: ["week", 1],
  fortnight: ["week", 2],
  month: ["month", 1],
  quarter: ["month", 3],
  year: ["year", 1]
} as const
const adverbs = {
  hourly: ["hour", 1],
  daily: ["day", 1],
  weekly: ["week", 1],
  fortnightly: ["week", 2],
  biweekly: ["week", 2],
  monthly: ["month", 1],
  quarterly: ["month", 3],
  yearly: ["year", 1],
  annually: ["year", 1]
} as const
const unit = `(${Object.keys(units).join("|")})s?\\b`
const counts = ["", "", "other|alternate|second|2nd", "third|3rd", "fourth|4th"]

const intervalOf = (name = ""): readonly [Unit, number] =>
  Object.entries({ ...units, ...adverbs }).find(([known]) => known === name)?.[1] ?? ["day", 1]
const countOf = (word = "1"): number =>
  /^\d+$/.test(word) ? Number(word) : counts.findIndex((names) => names.split("|").includes(word))

/** The parts read so far. Methods return the reason why a phrase can't be scheduled, or null. */
class Draft {
  interval: { readonly unit: Unit; readonly every: number } | null = null
  readonly weekdays = new Set<number>()
  readonly monthWeekdays = new Set<string>()
  readonly monthDays = new Set<string>()
  readonly months = new Set<number>()
  readonly times: Array<ClockTime> = []
  /** Whether the last phrase was a time: after it, a bare number is an hour. */
  isAfterTime = false

  add<A>(values: Set<A>, ...added: ReadonlyArray<A>): null {
    for (const value of added) values.add(value)
    return null
  }

  addTime(hour: number, minute: number, half?: string): string | null {
    const isKnown = minute < 60 && (half === undefined ? hour < 24 : hour >= 1 && hour <= 12)
    if (!isKnown) {
      return `${hour}:${`${minute}`.padStart(2, "0")}${half === undefined ? "" : `${half}m`} is no time of day`
    }
    this.times.push({ hour: half === undefined ? hour : hour % 12 + (half === "p" ? 12 : 0), minute })
    this.isAfterTime = true
    return null
  }

  addDate(day: number, month?: string): string | null {
    if (day < 1 || day > 31) return `no month has a day ${day}`
    this.monthDays.add(`${day}`)
    return month === undefined ? null : this.add(this.months, monthOf(month))
  }

  addInterval(unit: Unit, every: number): string | null {
    // "monthly on the 1st day", "at 9 every day of the week": the second unit adds nothing.
    const repeats = this.interval !== null && every === 1 && unit !== "minute" && unit !== "hour"
    if (this.interval !== null && !repeats) return "name one interval only"
    if (every < 1 || every > 1000) return `"every ${every} ${unit}s" is no interval`
    if (this.interval === null || this.interval.unit === "day") {
      this.interval = { unit, every: this.interval?.every ?? every }
    }
    return null
  }
}

type Read = (draft: Draft, groups: ReadonlyArray<string | undefined>) => string | null

const phrase = (words: string, read: Read): readonly [RegExp, Read] => [new RegExp(words, "y"), read]

/** The first one that matches is taken. */
const phrases: ReadonlyArray<readonly [RegExp, Read]> = [
  phrase(
    "(?:at )?(\\d{1,2})(?::(\\d\\d))? ?([ap])m\\b",
    (draft, [hour, minute = 0, half]) => draft.addTime(Number(hour), Number(minute), half)
  ),
  phrase("(?:at )?(\\d{1,2}):(\\d\\d)\\b", (draft, [hour, minute]) => draft.addTime(Number(hour), Number(minute))),
  phrase("at (\\d{1,2})\\b", (draft, [hour]) => draft.addTime(Number(hour), 0)),
  phrase(
    `(?:at )?(${clockTimes})s?\\b`,
    (draft, [name]) => draft.addTime(Object.entries(dayTimes).find(([known]) => known === name)?.[1] ?? 0, 0)
  ),
  phrase("at\\b", () => "\"at\" needs a time of day after it"),
  phrase(`(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}`, (draft, [date, name]) => draft.addDate(Number(date), name)),
  phrase(
    `${month} (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:| ?[ap]m)`,
    (draft, [name, date]) => draft.addDate(Number(date), name)
  ),
  // "The second Monday of the month" is a day of the month, "every second Monday" one of two weeks.
  phrase(`(?:every|each) (${counts[2]}) ${weekday}(?! (?:of|in)\\b)`, (draft, [, name]) => {
    draft.weekdays.add(weekdayOf(name))
    return draft.addInterval("week", 2)
  }),
  phrase(
    `${nthList} ${weekday}`,
    (draft, [list, name]) => draft.add(draft.monthWeekdays, ...nths(list).map((nth) => `${weekdayOf(name)}#${nth}`))
  ),
  phrase(`(first|last) ${workday}`, (draft, [nth]) => draft.add(draft.monthDays, nth === "last" ? "LW" : "1W")),
  phrase(
    `(?:${nthList} days?(?= (?:of|in)\\b)|(first|last) day\\b)`,
    (draft, [list, nth]) => draft.add(draft.monthDays, ...nths(list ?? nth))
  ),
  phrase(`(\\d+|${counts.slice(2).join("|")}) ?${unit}`, (draft, [count, name]) => {
    const [each, times] = intervalOf(name)
    return draft.addInterval(each, times * countOf(count))
  }),
  phrase(
    `(?:${unit}|(${Object.keys(adverbs).join("|")})\\b)`,
    (draft, [noun, adverb]) => draft.addInterval(...intervalOf(noun ?? adverb))
  ),
  phrase("(\\d{1,2})(?:st|nd|rd|th)\\b", (draft, [date]) => draft.addDate(Number(date))),
  phrase(`${weekday} ?(?:to|through|-) ?${weekday}`, (draft, [from, to]) => {
    const length = (weekdayOf(to) - weekdayOf(from) + 7) % 7 + 1
    return draft.add(draft.weekdays, ...Array.from({ length }, (_, index) => (weekdayOf(from) + index) % 7))
  }),
  phrase(weekday, (draft, [name]) => draft.add(draft.weekdays, weekdayOf(name))),
  phrase(workday, (draft) => draft.add(draft.weekdays, 1, 2, 3, 4, 5)),
  phrase("weekends?\\b", (draft) => draft.add(draft.weekdays, 0, 6)),
  phrase(month, (draft, [name]) => draft.add(draft.months, monthOf(name)))
]

const filler = /(?:every|each|on|the|of|in|and|a|o'clock)\b|[,&\s]/y

/** Reads the text from left to right, phrase by phrase. */
export const phrasesOf = (text: string): Either.Either<Phrases, string> => {
  const words = text.toLowerCase().replaceAll(/\b([ap])\.m\./g, "$1m").replaceAll(/\s+/g, " ").trim()
  const draft = new Draft()
  for (let index = 0; index < words.length;) {
    const matched = (pattern: RegExp) => {
      pattern.lastIndex = index
      return pattern.exec(words)
    }
    const skipped = matched(filler)
    const [found] = phrases.flatMap(([pattern, read]) => {
      const match = matched(pattern)
      return match === null ? [] : [{ length: match[0].length, groups: match.slice(1), read }]
    })
    if (found !== undefined) {
      draft.isAfterTime = false
      const reason = found.read(draft, found.groups)
      if (reason !== null) return Either.left(reason)
      index += found.length
    } else if (skipped !== null) index += skipped[0].length
    else {
      const [word = "", hour] = /^(?:(\d{1,2})\b|[a-z0-9]+|\S)/.exec(words.slice(index)) ?? []
      const reason = hour === undefined
        ? `"${word}" is not understood in a recurrence`
        : draft.isAfterTime
        ? draft.addTime(Number(hour), 0)
        : `"${hour}" is not understood here: write "at ${hour}:00" for a time of day`
      if (reason !== null) return Either.left(reason)
      index += word.length
    }
  }
  const { interval, monthDays, monthWeekdays, months, times, weekdays } = draft
  return interval === null && weekdays.size + monthWeekdays.size + monthDays.size + months.size + times.length === 0
    ? Either.left(`"${text}" is no recurrence`)
    : Either.right({ ...inLargerUnit(interval), weekdays, monthWeekdays, monthDays, months, times })
}

/** 60 minutes are an hour, and 7 days a week. */
const inLargerUnit = (interval: Draft["interval"]): Pick<Phrases, "unit" | "every"> => {
  if (interval === null) return { unit: null, every: 1 }
  const { every, unit } = interval
  if (unit === "minute" && every % 60 === 0) return inLargerUnit({ unit: "hour", every: every / 60 })
  if (unit === "hour" && every % 24 === 0) return inLargerUnit({ unit: "day", every: every / 24 })
  if (unit === "day" && every % 7 === 0) return inLargerUnit({ unit: "week", every: every / 7 })
  if (unit === "month" && every % 12 === 0) return { unit: "year", every: every / 12 }
  return interval
}
