import { stripped } from "@troupe/domain/Text"
import { Either } from "effect"

/** The usual hour, and the hours that a clock time can mean beside the name; 24 and more: of the next date. */
type DayPart = readonly [usual: number, from: number, to: number]

/** "Afternoon" contains "noon", so the first name that is found counts. */
const dayParts: Readonly<Record<string, DayPart>> = {
  morning: [9, 0, 11],
  afternoon: [15, 12, 23],
  noon: [12, 10, 15],
  midday: [12, 10, 15],
  lunch: [12, 10, 15],
  evening: [18, 13, 24],
  midnight: [0, 0, 0],
  night: [21, 18, 29]
}

const partOf = (text: string): DayPart =>
  Object.entries(dayParts).find(([name]) => text.includes(name))?.[1] ?? [9, 0, 23]

const numbers = Object.fromEntries(
  ("one 1,two 2,three 3,four 4,five 5,six 6,seven 7,eight 8,nine 9,ten 10,eleven 11,twelve 12,fifteen 15,twenty-five 25,"
    + "twenty 20,thirty 30,forty-five 45,forty 40,fifty 50,sixty 60,ninety 90").split(",").map((one) => one.split(" "))
)

const numberWord = new RegExp(`\\b(?:${Object.keys(numbers).join("|").replaceAll("-", "[- ]")})\\b`, "g")

/** In lower case, with digits and single blanks, without a mark at the end. */
export const plainWords = (text: string): string =>
  stripped(
    text.toLowerCase()
      .replaceAll(/(?<![a-z])([ap])\.m\b\.?/g, "$1m")
      .replaceAll("&", " and ")
      .replaceAll("’", "'")
      .replaceAll(numberWord, (word) => `${numbers[word.replace(" ", "-")]}`)
      .replaceAll(/\s+/g, " ")
      .trim(),
    "",
    " .!?,;"
  )

const namedPart = "(?<!\\b(?:before|after|until|till|good) (?:the )?)(?:(?:in the|at|by|this) )?"
  + "\\b(?:morning|afternoon|noon|midday|lunch(?: ?time)?|evening|midnight|night|tonight)s?\\b"
const clockTime = "(?<![\\w:/.-])(?:(?:at|@) ?)?"
  + "(?:(?<past>half|(?:a )?quarter|\\d{1,2}(?: minutes?)?) past |(?<till>(?:a )?quarter|\\d{1,2} minutes?) to )?"
  + "(?<hours>\\d{1,2})(?:[:.]?(?<minutes>\\d\\d))?(?: ?(?<half>[ap])m?\\b)?(?: ?o'clock)?(?![\\w:/%'-]|\\.\\d)"
const token = new RegExp(`(?<part>${namedPart})|${clockTime}`, "g")

/** Other numbers are clock times only beside one, or before a part of the day. */
const isClock = /^(?:at|@)|:|[ap]m?$|o'clock|past|to /

const startsPart = /^(?:in|at|this|tonight|noon|midday|midnight)\b/

const month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
const endsInMonth = new RegExp(`\\b${month} $`)

/** Of "at 9 and 2 hours later", 2 is no clock time. */
const startsWithUnit = new RegExp(`^ ?(?:(?:min(?:ute)?|hour|hr|day|week|month|year|time)s?|${month}|of)\\b`)

type Groups = Readonly<Record<string, string | undefined>>

interface Token {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isPart: boolean
  readonly groups: Groups
}

const isList = (words: string): boolean => /^\s*(?:,|&|,? ?\band\b)\s*$/.test(words)

/** Whether the words between two times separate them. */
const goesOn = (gap: string): boolean =>
  /\b(?:and|or|to|until|till|but|except)\b/.test(gap) || (gap.includes(",") && /\w/.test(gap.slice(gap.indexOf(","))))

const tokensOf = (words: string): ReadonlyArray<Token> =>
  Array.from(words.matchAll(token), ({ 0: text, groups = {}, index }): Token => ({
    text,
    from: index,
    to: index + text.length,
    isPart: groups["part"] !== undefined,
    groups
  })).reduce<ReadonlyArray<Token>>((kept, one, index, all) => {
    const [before, after] = [kept.at(-1), all[index + 1]]
    const isInList = before?.isPart === false && isList(words.slice(before.to, one.from))
      && !startsWithUnit.test(words.slice(one.to))
    const isOfPart = after?.isPart === true && words.slice(one.to, after.from) === " " && startsPart.test(after.text)
      && !endsInMonth.test(words.slice(0, one.from))
    return one.isPart || isClock.test(one.text) || isInList || isOfPart ? [...kept, one] : kept
  }, [])

const midnight = 24 * 60

const offsetOf = (words: string): number =>
  words.endsWith("half") ? 30 : words.endsWith("quarter") ? 15 : Number.parseInt(words)

/** In minutes since midnight; a day and more: on the next date. */
const minutesOf = ({ groups, text }: Token, named?: Token): Either.Either<number, string> => {
  const { half, hours, minutes = "0", past = "0", till = "0" } = groups
  const [hour, minute] = [Number(hours), Number(minutes)]
  const is12 = hour >= 1 && hour <= 12
  const shownText = text.replace(/^(?:at|@) ?/, "")
  if (minute > 59 || hour > 23 || (half !== undefined && !is12)) return Either.left(`${shownText} is no time of day`)
  const halves = [hour % 12, hour % 12 + 12]
  const meant = half !== undefined
    ? halves.slice(half === "p" ? 1 : 0).slice(0, 1)
    : is12 && named !== undefined
    ? halves
    : [hour]
  const [, from, to] = partOf(named?.text ?? "")
  const found = [...meant, ...meant.map((one) => one + 24)].find((one) => one >= from && one <= to)
  return found === undefined
    ? Either.left(`${shownText} does not fit "${named?.text}"`)
    : Either.right(found * 60 + minute + offsetOf(past) - offsetOf(till))
}

const shown = (minutes: number): string => {
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return `at ${`${hour}`.padStart(2, "0")}:${`${minute}`.padStart(2, "0")}`
}

/** What remains of the name of a part of the day: "every evening" is every day, "tonight" is today. */
const dayOf = (words: string, { from, text }: Token): string =>
  /^(?:this|tonight)/.test(text)
    ? "today "
    : !/^(?:at|by|in) /.test(text)
        && /\b(?:(?:every|each)(?: (?:other|alternate|first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th)?))?|in \d+) $/
          .test(words.slice(0, from))
    ? "day "
    : ""

/** The parts of the day that a clock time belongs to, by the order of both; null: it may belong to several. */
const namesOf = (words: string, tokens: ReadonlyArray<Token>): ((clock: Token) => ReadonlyArray<Token>) | null => {
  const parts = tokens.filter(({ isPart }) => isPart)
  let isApart = false
  const shape = tokens.map((one, index) => {
    const before = tokens[index - 1]
    const gap = words.slice(before?.to ?? one.from, one.from)
    // "At 9, noon" has two times, "in the evening, at 6" one.
    const isListed = isList(gap) && (!before?.isPart || gap.trim() !== ",")
    // Of "monday morning and friday at 6", the morning is the Monday's alone.
    isApart ||= !isListed && goesOn(gap) && !(before?.isPart && dayOf(words, before) !== "")
    return `${before === undefined ? "" : isListed ? "&" : " "}${one.isPart ? "P" : "C"}`
  }).join("")
  return /^(?:[CP](?:&|$))*$/.test(shape)
    ? () => []
    : /^P(?:&P)* C$|^P C(?:&C)*$|^C(?:&C)* P$|^C P(?:&P)*$/.test(shape)
    ? isApart ? null : () => parts
    : /^C P(?:&C P)*$|^P C(?:&P C)*$/.test(shape)
    ? (clock) => parts.slice(...[Math.floor(tokens.indexOf(clock) / 2)].flatMap((at) => [at, at + 1]))
    : null
}

const twelve = (name: string): string => name === "midnight" ? "at 12am" : "at 12pm"

/**
 * Rewrites each time of day as `at 18:00`, and several as `at 09:00 and at 18:00`; a part of the day decides the half of
 * the clock time that is given with it, or stands for its usual hour. Left: why a time of day can't be read.
 */
export const withClockTimes = (text: string): Either.Either<string, string> => {
  const words = plainWords(text)
    .replace(
      /\b((?:to)?night|evening|afternoon|morning),? (?:at )?(midnight|noon|midday)\b/,
      (_, part: string, name: string) => `${part} ${twelve(name)}`
    )
    .replace(/\b(?:at )?(midnight|noon|midday) tonight\b/, (_, name: string) => `${twelve(name)} tonight`)
  const tokens = tokensOf(words)
  const names = namesOf(words, tokens)
  if (names === null) return Either.left(`"${text}" has several times of day: write them as "at 7:00 and 18:00"`)
  return Either.gen(function*() {
    const used = new Set(tokens.flatMap((one) => one.isPart ? [] : names(one)))
    const times = yield* Either.all(tokens.map((one) => {
      if (one.isPart) return Either.right(used.has(one) ? [] : [partOf(one.text)[0] * 60])
      const parts = names(one)
      return Either.all(parts.length === 0 ? [minutesOf(one)] : parts.map((part) => minutesOf(one, part)))
    }))
    const rewritten = (clocks: (minutes: ReadonlyArray<number>) => string) =>
      tokens.map((one, index) => {
        const gap = words.slice(tokens[index - 1]?.to ?? 0, one.from)
        const isJoined = used.has(one) && tokens[index - 1]?.isPart === true && isList(gap)
        return `${isJoined ? "" : gap}${one.isPart ? dayOf(words, one) : ""} ${clocks(times[index] ?? [])}`
      }).concat(words.slice(tokens.at(-1)?.to ?? 0)).join(" ").replaceAll(/\s+/g, " ").trim()
    const isNextDate = times.flat().some((minutes) => minutes >= midnight)
    if (isNextDate && !/^(?:every day|each day|today)?$/.test(rewritten(() => ""))) {
      return yield* Either.left(
        `"${text}" may mean two dates: write the one on which the clock shows that time, without "night"`
      )
    }
    const whole = rewritten((minutes) => minutes.map(shown).join(" and "))
    return isNextDate ? whole.replace(/\btoday\b ?/, "") : whole
  })
}
