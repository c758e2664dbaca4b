import { Array as Arr, Option } from "effect"

/** The parts of a phrase, in the words that `spellings` leaves. */
export interface Phrase {
  readonly unit?: string | undefined
  readonly count?: string | undefined
  readonly weekdays?: string | undefined
  /** Days of the month, such as `1st and last`. */
  readonly dates?: string | undefined
  /** `1st` or `last`: that workday of the month. */
  readonly workday?: string | undefined
  /** Weekdays of the month, such as `1st and 3rd` of `mon`. */
  readonly nths?: string | undefined
  readonly nthDay?: string | undefined
  readonly months?: string | undefined
}

export const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
export const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const longNames =
  ("sunday monday tuesday wednesday thursday friday saturday january february march april may june july "
    + "august september october november december").split(" ")

const spellings: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?<=[a-z]) ?(?:-|–|\bthrough\b|\bthru\b) ?(?=[a-z])/g, " to "],
  [/[,&/+]/g, " and "],
  [/\b(?:working day|business day|weekday|workday)s?\b/g, "workday"],
  [/(?<=\d)(?=[a-z])(?!st|nd|rd|th)/g, " "],
  [/\b(day|week|month|year|weekend|hour|minute)s\b/g, "$1"],
  [/\bmins?\b|(?<=\d )m\b/g, "minute"],
  [/\bhrs?\b|(?<=\d )h\b/g, "hour"],
  [/\bhalf(?: an?)? hour\b/g, "30 minute"],
  [/\bquarter(?: of an)? hour\b/g, "15 minute"],
  [/\beach\b/g, "every"],
  [/\b(?:everyday|daily)\b/g, "every day"],
  [/\bhourly\b/g, "every hour"],
  [/\bweekly\b/g, "every week"],
  [/\b(?:fortnightly|biweekly)\b/g, "every 2 week"],
  [/\bmonthly\b/g, "every month"],
  [/\bquarterly\b/g, "every 3 month"],
  [/\b(?:yearly|annually)\b/g, "every year"],
  [/\bfortnights?\b/g, "2 week"],
  [/\bquarters?\b/g, "3 month"],
  [/\b(?:at )?(?:the )?end of\b/g, "last day of"],
  [/\b(?:at )?(?:the )?(?:start|beginning) of\b/g, "1st day of"],
  // The unit of time, not the second day of the month.
  [/\bevery second(?= ?$)/g, "every 1 seconds"],
  [/\b(?:other|alternate)\b/g, "2nd"],
  [/\bfirst\b/g, "1st"],
  [/\bsecond\b/g, "2nd"],
  [/\bthird\b/g, "3rd"],
  [/\bfourth\b/g, "4th"],
  [/\bfifth\b/g, "5th"],
  [/\bfrom (?=\w+ to )/g, ""],
  [/\b(?:the|an?|on)\b/g, " "],
  [/\s+/g, " "],
  [/(?:\band ?)+/g, "and "],
  [/^ ?(?:and )?| ?(?:and )?$/g, ""],
  // What says how often comes first in the table.
  [/^(.+?)(?: of| in| and)? (every (?:\S+ )?(?:minute|hour|day|week|month|year))$/g, "$2 $1"],
  [/^(.+) of month$/g, "every month $1"]
]

const listOf = (one: string) => `${one}(?:(?: and| to)? ${one})*`
const weekday = `(?:${weekdayNames.join("|")})`
const weekdays = `(?<weekdays>${listOf(`(?:${weekdayNames.join("|")}|workday|weekend)`)})`
const month = `(?:${monthNames.join("|")})`
const months = `(?:in |of )?(?<months>${listOf(month)})`
const nths = "(?:\\d{1,2}(?:st|nd|rd|th)|last)(?:(?: and)? (?:\\d{1,2}(?:st|nd|rd|th)|last))*"
const ofMonth = `(?:(?<nths>${nths}) (?<nthDay>${weekday})|(?<workday>1st|last) workday|(?<dates>${nths})(?: day)?)`
const count = "(?:(?!1st)(?<count>\\d{1,3})(?:st|nd|rd|th)? )?"

/** Whole phrases without their times of day; the first one that matches is taken. */
const table: ReadonlyArray<RegExp> = [
  // every 2 hours on weekdays in march
  `every ${count}(?<unit>minute|hour)(?: ${weekdays})?(?: ${months})?`,
  // every day of the week in march
  `every ${count}(?<unit>day)(?: of week)?(?: ${months})?`,
  // mondays, every week on monday and thursday, every day from monday to friday
  `(?:every (?:week |day )?)?${weekdays}(?: ${months})?`,
  // every 2 weeks on friday
  `every ${count}(?<unit>week)(?: ${weekdays})?`,
  // every other friday
  `every (?<count>2)(?:nd)? (?<weekdays>${weekday})`,
  // every 3 months, every month on the last friday, 1st and 15th, first monday of january
  `every ${count}(?<unit>month)(?: (?:every )?${ofMonth})?`,
  `(?:every (?:(?<unit>year) )?)?${ofMonth}(?: ${months})?`,
  // every year on 3 march, march 3rd, in december
  `(?:every (?:(?<unit>year) )?)?(?<dates>\\d{1,2}(?:st|nd|rd|th)?)(?: of)? (?<months>${month})`,
  `(?:every (?:(?<unit>year) )?)?(?<months>${month}) (?<dates>\\d{1,2}(?:st|nd|rd|th)?)`,
  `(?:every (?:(?<unit>year) )?)?${months}`,
  "every (?<unit>year)",
  // at 9 and 17
  ""
].map((phrase) => new RegExp(`^${phrase}$`))

/** The parts of a whole phrase about days; none: the table has no such phrase. */
export const phraseOf = (words: string): Option.Option<Phrase> => {
  const named = words.replaceAll(
    /[a-z]{3,}/g,
    (word) => longNames.find((name) => name.startsWith(word.replace(/s$/, "")))?.slice(0, 3) ?? word
  )
  const spelled = spellings.reduce((text, [from, to]) => text.replaceAll(from, to), named)
  return Arr.findFirst(
    table,
    (pattern) => Option.map(Option.fromNullable(pattern.exec(spelled)), ({ groups }): Phrase => ({ ...groups }))
  )
}
