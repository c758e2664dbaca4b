import { stripped } from "@troupe/domain/Text"
import { Either, Option } from "effect"
import { isCronText } from "../Schedule/CronText.ts"
import { recurrenceOf, saysEvery } from "../Schedule/Recurrence.ts"
import { scheduledTimeOf, type TimeContext } from "../Schedule/ScheduledTimes.ts"
import { startsTime, unreadBeside } from "./TimeWords.ts"

/** `who`: the name of another person who is to be reminded. */
export type TimedRequest =
  & { readonly who?: string }
  & (
    | { readonly _tag: "Once"; readonly kind: Kind; readonly what: string; readonly at: string }
    | { readonly _tag: "Recurring"; readonly kind: Kind; readonly what: string; readonly every: string }
    /**
     * It has the form of a command, but no time in it can be read; `when` is the words that seem to be meant. With
     * `unread` they can be read, but not those words beside them, which seem to belong to the time.
     */
    | { readonly _tag: "Unreadable"; readonly kind: Kind; readonly when: string; readonly unread?: string }
  )

type Kind = "task" | "reminder"

/** The words of a request, and when it was made. */
interface Sentence {
  readonly clock: TimeContext
  readonly kind: Kind
  readonly text: string
  readonly words: ReadonlyArray<Word>
}

const polite = new RegExp(
  "^(?:(?:please|pls|plz|kindly|(?:hey|hi|hello)(?: \\w+(?=,))?|ok|okay|so|and|also|(?:can|could|would|will) you"
    + "|i(?:'d like| would like| need| want) you to|do not forget to|don't forget to)\\b[\\s,!:]*)+"
    + "(?=(?:remind|schedule|every|each)\\b)",
  "i"
)

const thanks = /(?<=\s)(?:please|pls|plz|thanks|thank you|thx)$/i

const withoutThanks = (text: string): string => {
  const words = stripped(text, "", ".! ")
  const at = words.search(thanks)
  return at < 0 ? text : stripped(words.slice(0, at), "", ", ")
}

/**
 * Reads the forms listed in `ChatTexts`, also with the time first: `remind me tomorrow to <what>`. What begins like one
 * of them is never a task that starts at once. None: it does not.
 */
export const timedRequestOf = (given: string, clock: TimeContext): Option.Option<TimedRequest> => {
  const text = unquoted(given).trimStart().replace(polite, "").replace(
    /^(remind (?:me|us)|schedule)(?:[,:]| [-–])?(?: please\b[,:]?)?(?= )/i,
    "$1"
  )
  const words = wordsOf(text)
  switch (words[0]?.word.toLowerCase()) {
    case "schedule":
      return Option.some(scheduled({ clock, kind: "task", text, words: words.slice(1) }))
    case "remind":
      return words.length === 1
        ? Option.none()
        : Option.some(reminderFor({ clock, kind: "reminder", text, words: words.slice(1) }))
    case "every":
    case "everyday":
    case "each":
      return Option.some(recurring({ clock, kind: "reminder", text, words }))
    default:
      return Option.none()
  }
}

/** A command is also copied with the quotes or code marks around it. */
export const unquoted = (text: string): string => /^["'`“‘](.+)["'`”’]$/s.exec(text.trim())?.[1] ?? text

interface Word {
  readonly word: string
  readonly from: number
  readonly to: number
}

const wordsOf = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({ word, from: index, to: index + word.length }))

/** No time has more words; it bounds what is tried of a long message. */
const maxWords = 14

const isStart = ({ from }: Word, text: string): boolean => startsTime(text.slice(from, from + maxStart))

/** Longer than what a time is recognised by. */
const maxStart = 40

const isTime = (words: string, clock: TimeContext): boolean => Either.isRight(scheduledTimeOf(words, clock))

const isRecurrence = (words: string): boolean =>
  (saysEvery(words) || isCronText(words)) && Either.isRight(recurrenceOf(words))

/** A cron is also written as `every 0 9 * * 1-5`, or between marks of code. */
const withoutCronMarks = (when: string): string => {
  const cron = when.replace(/^(?:every|each)\s+/i, "").replaceAll("`", "")
  return isCronText(cron) ? cron : when
}

const readWhen = (
  { clock, kind }: Sentence,
  what: string,
  given: string,
  isAfter: boolean
): TimedRequest | null => {
  const when = withoutCronMarks(withoutThanks(given))
  const meant = what.replace(/^(?:[-–]+\s+)?(?:(?:please\s+)?remind\s+(?:me|us)\s+)?/i, "")
  const task = meant.replace(/^(?:to|that|about)\s/i, "").replace(/[,:]$/, "").trim()
  const read = isRecurrence(when)
    ? { _tag: "Recurring" as const, kind, what: task, every: when }
    : isTime(when, clock)
    ? { _tag: "Once" as const, kind, what: task, at: when }
    : null
  if (read === null) return null
  if (task === "") return { _tag: "Unreadable", kind, when }
  const unread = unreadBeside(meant, when, isAfter)
  return unread === undefined ? read : { _tag: "Unreadable", kind, when, unread }
}

/** The longest time at the end of the text. */
const timeLast = (sentence: Sentence): TimedRequest | null => {
  const { text, words } = sentence
  for (const first of words.slice(-maxWords).filter((word) => isStart(word, text))) {
    const found = readWhen(
      sentence,
      text.slice(words[0]?.from, first.from).trim(),
      text.slice(first.from).trim(),
      false
    )
    if (found !== null) return found
  }
  return null
}

/** The longest time at the beginning that satisfies `endsAt`. */
const timeFirst = (sentence: Sentence, endsAt: (last: Word, next: Word) => boolean): TimedRequest | null => {
  const { text, words } = sentence
  const [first] = words
  if (first === undefined || !isStart(first, text)) return null
  for (let length = Math.min(maxWords, words.length - 1); length > 0; length--) {
    const [last, next] = [words[length - 1], words[length]]
    if (last === undefined || next === undefined || !endsAt(last, next)) continue
    const when = text.slice(first.from, last.to).replace(/[,:]$/, "")
    const found = readWhen(sentence, text.slice(next.from).trim(), when, true)
    if (found !== null) return found
  }
  return null
}

const isLink = ({ word }: Word): boolean => /^(?:to|that|about)$/i.test(word)

const weekday = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tue|wed|thu|fri|sat|sun)\b/i

/** "monday to friday" is part of a time. */
const isRange = (last: Word | undefined, next: string): boolean => weekday.test(last?.word ?? "") && weekday.test(next)

const unitWord = /^(?:minutes?|hours?|days?|weekdays?|weeks?|weekends?|months?|quarters?|years?)$/i

/** The first words, if they seem to be a time that can't be read: up to a unit, or to a link such as `to`. */
const unreadWhen = ({ clock, text, words }: Sentence): string | undefined =>
  [
    words.findIndex(({ word }) => unitWord.test(word)) + 1,
    words.findIndex((word, index) => isLink(word) && !isRange(words[index - 1], words[index + 1]?.word ?? ""))
  ].sort((one, other) => one - other)
    .flatMap((length) => length > 0 ? [text.slice(words[0]?.from, words[length - 1]?.to)] : [])
    .find((when) => !isTime(when, clock) && !isRecurrence(when))

const isInterval = ({ word }: Word, next: Word | undefined): boolean =>
  /^(?:every|each)$/i.test(word) && units.test(next?.word ?? "")

/** The words from an interval on, if there is one that can't be read. */
const unreadInterval = (sentence: Sentence): string | undefined => {
  const { words } = sentence
  const index = words.findIndex((word, index) => isInterval(word, words[index + 1]))
  return index < 0 ? undefined : unreadWhen({ ...sentence, words: words.slice(index) })
}

/** What was read; a reason that names an interval helps more than another. */
const orUnread = (found: TimedRequest, sentence: Sentence): TimedRequest => {
  const when = found._tag === "Unreadable" ? unreadInterval(sentence) : undefined
  return when === undefined ? found : { _tag: "Unreadable", kind: sentence.kind, when }
}

const scheduled = (sentence: Sentence): TimedRequest => {
  const found = timeLast(sentence)
  if (found !== null) return orUnread(found, sentence)
  const { kind, text } = sentence
  const words = sentence.words.slice(1)
  const separator = words.findLast(({ word }) => /^(?:at|every|each)$/i.test(word))
  return {
    _tag: "Unreadable",
    kind,
    when: unreadInterval({ ...sentence, words }) ?? text.slice(separator?.from ?? text.length).trim()
  }
}

const maxNameWords = 4

/** `me to <what>`, or the name of somebody else, which ends before a time or `to`; a mention begins with `@`. */
const reminderFor = (sentence: Sentence): TimedRequest => {
  const { text, words } = sentence
  const rest = (from: number) => reminder({ ...sentence, words: words.slice(from) })
  if (/^(?:me|us)$/i.test(words[0]?.word ?? "")) return rest(1)
  const end = words.slice(0, maxNameWords + 1)
    .findIndex((word, index) =>
      index > 0 && (isStart(word, text) || isLink(word) || /[,:]$/.test(words[index - 1]?.word ?? ""))
    )
  const length = end === -1 ? 1 : end
  const who = text.slice(words[0]?.from, words[length - 1]?.to).replace(/^@/, "").replace(/[,:]$/, "")
  return { ...rest(length), who }
}

const reminder = (sentence: Sentence): TimedRequest => {
  const { kind, text, words } = sentence
  const found = timeFirst(sentence, (last, next) => isLink(next) && !isRange(last, text.slice(next.to).trimStart()))
    ?? timeLast(sentence)
  if (found !== null) return orUnread(found, sentence)
  const isFirst = words.slice(0, 1).some((word) => isStart(word, text))
  return {
    _tag: "Unreadable",
    kind,
    when: unreadInterval(sentence)
      ?? (isFirst ? unreadWhen(sentence) : undefined)
      ?? text.slice(words.findLast((word) => isStart(word, text))?.from ?? text.length).trim()
  }
}

/** They may be part of a recurrence, but at its end they belong to what follows. */
const articles = /^(?:the|a|an|of|in|on|at|from|and|,|&|each|every)$/i

const units = /^(?:\d+|other|second|minutes?|hours?|days?|weekdays?|weeks?|weekends?|months?|quarters?|years?)$/i

const recurring = (sentence: Sentence): TimedRequest => {
  const { kind, words } = sentence
  const found = timeFirst(sentence, ({ word }) => !articles.test(word))
  if (found !== null && found._tag !== "Once") return orUnread(found, sentence)
  const when = unreadWhen(sentence) ?? words.slice(0, 5).map(({ word }) => word).join(" ")
  return { _tag: "Unreadable", kind, when }
}
