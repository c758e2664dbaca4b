import { Effect } from "effect"
import { type GuardedProcessFailed, runGuarded } from "../Runtime/GuardedProcess.ts"
import { mailOfReply } from "./MailFrame.ts"
import { MailUnreadable, type ParsedMail, parseMail } from "./MailParser.ts"

/**
 * The parser's time grows with the square of some contents: this much takes a fraction of a second, 64 KiB of blank
 * lines a whole one, and 1 MB up to a minute.
 */
const maxBytesHere = 64 * 1_024
const maxLinesHere = 4_000

const maxReplyBytes = 64 * 1_024 * 1_024

interface Limits {
  readonly memoryMegabytes: number
  readonly seconds: number
}

/** As `parseMail`; a large mail in a separate process. `GuardedProcessFailed`: none could be started, or it stopped. */
export const readMail = (
  source: Uint8Array,
  limits: Limits = { memoryMegabytes: 400, seconds: 60 }
): Effect.Effect<ParsedMail, MailUnreadable | GuardedProcessFailed> =>
  source.length <= maxBytesHere && !hasMoreLines(source, maxLinesHere)
    ? parseMail(source)
    : runGuarded("Wire/MailParserThread", [source], { ...limits, maxReplyBytes }).pipe(
      Effect.mapError((failed) => {
        const reason = reasonOf(failed, limits)
        return reason === null ? failed : new MailUnreadable({ reason })
      }),
      Effect.flatMap((bytes) => Effect.catchTag(mailOfReply(bytes), "ParseError", Effect.die))
    )

const hasMoreLines = (source: Uint8Array, max: number): boolean => {
  let lines = 0
  for (let at = source.indexOf(10); at >= 0 && lines <= max; at = source.indexOf(10, at + 1)) lines++
  return lines > max
}

/** Null: the mail is not the cause, so it may be read later. */
const reasonOf = ({ kind }: GuardedProcessFailed, { memoryMegabytes, seconds }: Limits): string | null => {
  switch (kind) {
    case "start":
      return null
    case "memory":
      return `Reading the mail needs more memory than ${memoryMegabytes} MB.`
    case "time":
      return `Reading the mail takes longer than ${seconds} s.`
    case "reply":
      return `What the mail holds has more than ${maxReplyBytes} bytes.`
    case "crash":
      return "The mail is damaged in a way that stops it from being read."
  }
}
