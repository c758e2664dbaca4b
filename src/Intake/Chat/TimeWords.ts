import { Either } from "effect"
import { withClockTimes } from "../Schedule/ClockTimes.ts"

const dayNames = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
const shortDay = "(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
const dayParts = "(?:morning|afternoon|evening|night|noon)s?"
const monthNames = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
  + "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b"
const clockTime = "\\d{1,2}(?:[:.]?\\d\\d)? ?(?:[ap]\\.?m\\b|o'clock)|\\d{1,2}:\\d\\d"

const cron = "`?(?:[\\d*][\\d*,/-]*\\s+){2}[\\d*?l]\\S*\\s+[\\d*a-z]\\S*\\s+[\\d*a-z]"

const start = new RegExp(
  "^(?:(?:at|in|on|by|within|every|each|everyday|today|tonight|tomorrow|tmr|next|this|noon|midday|midnight|hourly|daily|weekly"
    + `|fortnightly|biweekly|monthly|quarterly|yearly|annually|weekdays|weekends|eo[dwmy]|${dayNames}`
    + `|${shortDay}(?= ?(?:[-–,/&@\\d]|and\\b|to\\b|at\\b|${dayParts}|$))`
    + "|mornings|afternoons|evenings|nights|(?:the )?(?:day after|end of|start of|beginning of)|the \\d{1,2}(?:st|nd|rd|th)|(?:the )?(?:first|last) (?:\\w*day|of)|half past"
    + `|quarter (?:past|to)|${monthNames} \\d{1,2}|\\d{1,2} ${monthNames}|from ${shortDay}\\w*|a \\w+ from)`
    + `\\b|@ ?\\d|@(?:hour|dai|week|month|year)ly\\b|${cron}|\\d{1,2}(?:st|nd|rd|th)\\b|${clockTime})`,
  "i"
)

/** Whether words may begin with a time or a recurrence. */
export const startsTime = (words: string): boolean => start.test(words)

const units = "(?:minute|hour|day|weekday|week|weekend|fortnight|month|quarter|year|morning|afternoon|evening|night)s?"
const interval = `(?:every|each) (?:\\d|(?:(?:other|second|third|few|couple)|${units})\\b|${dayNames}|${monthNames})`
const number = "(?:\\d+|an?|one|two|three|four|five|six)"
const durations = `(?:for (?:the next )?${number} (?:day|week|month|year)s?|in ${number} ${units})`
const period = "(?:week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)"
// "Plan the work of next week" is whole.
const nextPeriod = `(?<!\\b(?:about|by|for|from|in|of|the|to) )(?:next|this) ${period}`
const dayWords =
  `(?:(?:${dayNames}|today|tonight|tomorrow)(?: ${dayParts})?|(?:this|in the|at) ${dayParts}|${nextPeriod}|${durations})`
/** Times are those of the person's own time zone. */
const timeZone = "(?:in )?(?:(?:africa|america|antarctica|asia|atlantic|australia|etc|europe|indian|pacific)/\\w+"
  + "|utc|gmt|[ecmp][sd]t|cest|cet|eest|eet|bst|jst|ae[sd]t|(?:eastern|central|mountain|pacific|local|my|our|your) time)"
const connections = "or|and|not|but|except|until|till?|before|after|between|from|starting|beginning|since"
// "Every day 8" has half a time, "every day 20 push-ups" has none.
const bareNumber = "(?!1 [a-z])[+-]?\\d[\\d:.–-]*(?:ish)?(?! (?!times?\\b)[\\w-]*s\\b)(?![\\d:.–a-z-])"

/** Words that belong to a time before or after them. */
const unreadWords = {
  anywhere: new RegExp(`\\b${interval}.*`, "i"),
  atStart: new RegExp(
    `^[(–-]* ?(?:(?:${connections}|within|during|throughout|over the|once|twice|${units}|[ap]\\.?m|end(?! (?:the|an?|my|our|your)))\\b.*`
      + `|(?:${dayWords}|for ${number} ${units})\\b|${timeZone}\\b|(?:(?:at|by|about|around|to) )*${bareNumber}|at (?:\\d\\S*|(?:noon|midnight)\\b)`
      + `|in (?:${monthNames}|(?:the )?${period}\\b))`,
    "i"
  ),
  atEnd: new RegExp(`(?:^|\\s)(?:${connections}|every|each|(?:start|beginning|middle|end) of|${dayWords}),?$`, "i"),
  beforeDay: /(?:^|\s)(?:about|around|at|by|for|in|of|on|to|with|the|an?|my|our|your|this|next|last)$/i,
  first: new RegExp(
    `^(?:${dayNames}|today|tonight|tomorrow|next \\w+|(?:at|in) \\d|at (?:noon|midday|midnight)|${clockTime})\\b(?!').*`
      + "(?= (?:to|that|about) )",
    "i"
  ),
  clock: new RegExp(
    `(?:^|\\s)(?:at \\d{1,2}(?:[:.]?\\d\\d)?|(?:at )?(?:${clockTime})|at (?:noon|midday|midnight))[.,!?]*$`,
    "i"
  )
}

const looseParts = /\b(?:to)?(?:morning|afternoon|evening|night)s?\b/gi

/** Whether words name a point of time to the minute, as "at noon" and "in 2 hours" do, and "in the evening" does not. */
const isToTheMinute = (when: string): boolean =>
  /\b(?:min(?:ute)?s?|h(?:ou)?rs?|hourly)\b|\d ?h\b/i.test(when)
  || Either.match(withClockTimes(when.replaceAll(looseParts, "")), {
    onLeft: () => false,
    onRight: (words) => /\bat \d\d:\d\d/.test(words)
  })

/**
 * Words in a text that seem to belong to the time before (`isAfter`) or after it: of "every 3 days at 9" only "at 9" is read.
 */
export const unreadBeside = (what: string, when: string, isAfter: boolean): string | undefined =>
  [
    unreadWords.anywhere,
    ...(isAfter ? [unreadWords.atStart] : [unreadWords.atEnd, unreadWords.first]),
    // "Log in at 9" is whole, "prepare for monday at 9" may not be.
    ...(isAfter || /^(?:at|by|in|on|within|every|each)\b/i.test(when) ? [] : [unreadWords.beforeDay]),
    ...(isToTheMinute(when) ? [] : [unreadWords.clock])
  ].flatMap((words) => words.exec(what)?.[0].trim() ?? [])[0]
