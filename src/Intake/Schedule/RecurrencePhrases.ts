import { Option } from "effect"

/** The parts of a phrase about days; lists are fields of a cron: weekdays, months, days of the month, weekdays of the month. */
export interface Phrase extends Readonly<Record<"days" | "months" | "dates" | "nths", string | undefined>> {
  readonly unit: string
  /** Every so many units. */
  readonly every: number
}

const onDates = ["", "dates", "nths"]
const onDays = ["", "days", "months", "days months"]

/** What may follow `every <unit>`, and what may stand alone. */
const phrases: Readonly<Record<string, ReadonlyArray<string>>> = {
  minute: onDays,
  hour: onDays,
  day: [...onDays, "of week"],
  week: onDays,
  month: onDates,
  year: [...onDates, "months", "dates months", "months dates", "nths months"],
  none: [...onDates, ...onDays, "dates months", "months dates", "nths months"]
}

const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const longNames =
  ("sunday monday tuesday wednesday thursday friday saturday january february march april may june july "
    + "august september october november december").split(" ")

const weekday = `(?:${weekdayNames.join("|")})`
const month = `(?:${monthNames.join("|")})`
const unit = "(minute|hour|day|week|month|year)"
const nth = "(?:\\d{1,2}(?:st|nd|rd|th)|last)"
const nthList = `${nth}(?: and ${nth})*`
const listOf = (one: string) => `${one}(?:(?: and| to)? ${one})*`

const spellings: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?<=[a-z]) ?(?:-|–|\bthrough\b|\bthru\b) ?(?=[a-z])/g, " to "],
  [/[,&/+]/g, " and "],
  // It marks the parts of a phrase.
  [/=/g, " = "],
  [/\b(?:working day|business day|weekday|workday)s?\b/g, "workday"],
  [/(?<=\d)(?=[a-z])(?!st|nd|rd|th)/g, " "],
  [/\b(day|week|month|year|weekend|hour|minute)s\b/g, "$1"],
  [/\bmins?\b|(?<=\d )m\b/g, "minute"],
  [/\bhrs?\b|(?<=\d )h\b/g, "hour"],
  [/\bhalf(?: an?)? hour\b/g, "30 minute"],
  [/\bquarter(?: of an)? hour\b/g, "15 minute"],
  [/\beach\b/g, "every"],
  [/\b(?:everyday|daily)\b/g, "every day"],
  [/\b(hour|week|month|year)ly\b/g, "every $1"],
  [/\bannually\b/g, "every year"],
  [/\b(?:fortnight|biweek)ly\b/g, "every 2 week"],
  [/\bquarterly\b/g, "every 3 month"],
  [/\bfortnights?\b/g, "2 week"],
  [/\bquarters?\b/g, "3 month"],
  [/\b(?:at )?(?:the )?end of\b/g, "last day of"],
  [/\b(?:at )?(?:the )?(?:start|beginning) of\b/g, "1st day of"],
  // The unit of time, not the second day of the month.
  [/\bevery second(?= ?$)/g, "every 1 seconds"],
  [/\b(?:other|alternate|second)\b/g, "2nd"],
  [/\bfirst\b/g, "1st"],
  [/\bthird\b/g, "3rd"],
  [/\bfourth\b/g, "4th"],
  [/\bfifth\b/g, "5th"],
  [/\bfrom (?=\w+ to )/g, ""],
  [/\b(?:the|an?|on)\b/g, " "],
  [/\s+/g, " "],
  [/(?:\band ?)+/g, "and "],
  [/^ ?(?:and )?| ?(?:and )?$/g, ""],
  // What says how often comes first.
  [new RegExp(`^(.+?)(?: of| in| and)? (every (?:\\S+ )?${unit})$`, "g"), "$2 $1"],
  [/^(.+) of month$/g, "every month $1"],
  [new RegExp(`^every 2(?:nd)? (?=${weekday}$)`, "g"), "every 2 week "],
  [new RegExp(`\\b(\\d{1,2})(?: of)? (?=${month}\\b)|(?<=\\b${month} )(\\d{1,2})\\b`, "g"), "dates=$1$2 "]
]

/** What a list names as a field of a cron, with its ranges: "mon to wed" are three. */
const fieldOf = (list: string, names: ReadonlyArray<string>, first: number): string =>
  field(
    list.split(" ").flatMap((word, index, words) => {
      const [to, isRange] = [names.indexOf(word), words[index - 1] === "to"]
      const from = isRange ? names.indexOf(words[index - 2] ?? "") : to
      const length = to < 0 ? 0 : (to - from + names.length) % names.length + 1
      return Array.from({ length }, (_, step) => (from + step) % names.length + first)
    })
  )

/** A list of numbers as a field of a cron. */
export const field = (values: ReadonlyArray<number>): string => {
  const sorted = [...new Set(values)].toSorted((one, other) => one - other)
  const [from = 0] = sorted
  const isRange = sorted.length > 2 && sorted.every((value, index) => value === from + index)
  return isRange ? `${from}-${from + sorted.length - 1}` : sorted.join(",")
}

const nthsOf = (list: string, before = "", after = ""): string =>
  (list.match(/\d+|last/g) ?? []).map((nth) => `${before}${nth === "last" ? "L" : Number(nth)}${after}`).join(",")

/** Lists become parts of a phrase, such as `days=1,4`. */
const lists = ([
  [`${nthList} ${weekday}`, (list) => `nths=${nthsOf(list, `${weekdayNames.indexOf(list.slice(-3))}#`)}`],
  ["(?:1st|last) workday", (list) => `dates=${nthsOf(list, "", "W")}`],
  ["workday", () => "mon to fri"],
  ["weekend", () => "sat and sun"],
  [listOf(weekday), (list) => `days=${fieldOf(list, weekdayNames, 0)}`],
  [`(?:in |of )?${listOf(month)}`, (list) => `months=${fieldOf(list, monthNames, 1)}`],
  [`${nthList}(?: day)?`, (list) => `dates=${nthsOf(list)}`]
] satisfies ReadonlyArray<readonly [string, (list: string) => string]>)
  .map(([pattern, to]) => [new RegExp(`\\b${pattern}\\b`, "g"), to] as const)

const larger: Readonly<Record<string, readonly [number, string]>> = {
  minute: [60, "hour"],
  hour: [24, "day"],
  day: [7, "week"],
  month: [12, "year"]
}

/** 60 minutes are an hour, and 7 days a week. */
const intervalOf = (unit: string, every: number): Pick<Phrase, "every" | "unit"> => {
  const [size, next] = larger[unit] ?? [Infinity, unit]
  return every > 0 && every % size === 0 ? intervalOf(next, every / size) : { unit, every }
}

const interval = new RegExp(`^every (?:(?!1st)(\\d{1,3})(?:st|nd|rd|th)? )?${unit}\\b`)

/** The parts of a whole phrase about days; none: it is not in the table. */
export const phraseOf = (words: string): Option.Option<Phrase> => {
  const named = words.replaceAll(
    /[a-z]{3,}/g,
    (word) => longNames.find((name) => name.startsWith(word.replace(/s$/, "")))?.slice(0, 3) ?? word
  )
  const spelled = spellings.reduce((text, [from, to]) => text.replaceAll(from, to), named).trim()
  const [whole = "", count = "1", unit = "none"] = interval.exec(spelled) ?? []
  const rest = lists.reduce((text, [from, to]) => text.replaceAll(from, to), spelled.slice(whole.length))
  const shape = rest.replaceAll(/=[\w#,-]+/g, "").trim().replace(
    /^every /,
    unit === "month" || unit === "none" ? "" : "$&"
  )
  const part = (name: string) => new RegExp(`\\b${name}=([\\w#,-]+)`).exec(rest)?.[1]
  const phrase = {
    ...intervalOf(unit, Number(count)),
    days: part("days"),
    months: part("months"),
    dates: part("dates"),
    nths: part("nths")
  }
  // Every second day is none of the week, and every second week none of a month.
  const isApart = phrase.every > 1
    && (phrase.unit === "day" ? phrase.days : phrase.unit === "week" ? phrase.months : undefined) !== undefined
  return phrases[phrase.unit]?.includes(shape) === true && !isApart ? Option.some(phrase) : Option.none()
}
