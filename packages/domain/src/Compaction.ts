import type { Message, SystemMessage } from "./Message.ts"
import type { Compacted } from "./Step.ts"
import { headOf } from "./Text.ts"

/** The model sees `note` in place of the messages before `upto`. Positions are those in the run's `messages`. */
export interface Compaction {
  /** Covers the messages before `summarised`. */
  readonly summary: string | null
  readonly summarised: number
  readonly upto: number
  readonly note: SystemMessage
  /** Consecutive attempts without a summary, and the number of messages at the last one. */
  readonly failures: number
  readonly failedAt: number
  /** The model's window overflowed, and no call has succeeded since. */
  readonly overran: boolean
}

export interface CompactionLimits {
  readonly threshold: number
  readonly maxRecent: number
}

export const compact = (
  messages: ReadonlyArray<Message>,
  before: Compaction | null,
  step: Compacted
): Compaction => {
  const summary = step.summary ?? before?.summary ?? null
  const summarised = step.summary === null ? before?.summarised ?? 0 : step.upto
  const tried = step.failure !== undefined
  return {
    summary,
    summarised,
    upto: step.upto,
    note: { role: "system", content: noteOf(messages, summary, step.upto - summarised) },
    failures: step.summary === null ? (before?.failures ?? 0) + (tried ? 1 : 0) : 0,
    failedAt: tried ? messages.length : before?.failedAt ?? 0,
    overran: step.because === "overflow"
  }
}

const noteOf = (messages: ReadonlyArray<Message>, summary: string | null, gap: number): string =>
  [
    summary ?? `The conversation began with:\n${headOf(messages[0]?.content ?? "", openingChars)}`,
    ...(gap > 0 ? [`[${gap} older messages are left out here: they could not be summarised.]`] : [])
  ].join("\n\n")

const openingChars = 4_000

export const visible = (messages: ReadonlyArray<Message>, compaction: Compaction | null): ReadonlyArray<Message> =>
  compaction === null ? messages : [compaction.note, ...messages.slice(compaction.upto)]

const visibleCount = (messages: ReadonlyArray<Message>, compaction: Compaction | null): number =>
  compaction === null ? messages.length : 1 + messages.length - compaction.upto

/**
 * Messages before this index are due for a summary; null if none are. Tool results stay with their call: the split moves
 * back to it, or, where that leaves nothing to summarise, forward to the end of the turn.
 */
export const splitIndex = (
  messages: ReadonlyArray<Message>,
  compaction: Compaction | null,
  limits: CompactionLimits
): number | null => {
  const count = visibleCount(messages, compaction)
  if (count <= limits.threshold) return null
  const from = compaction?.upto ?? 0
  const start = Math.max(from, messages.length - limits.maxRecent)
  const isSmaller = (split: number) => split > from && 1 + messages.length - split < count
  const before = withItsCall(messages, start)
  if (isSmaller(before)) return before
  const after = afterResults(messages, start)
  return after < messages.length && isSmaller(after) ? after : null
}

/** Without a summary, the most recent messages stay, but no tool result without its call. */
export const fallbackIndex = (messages: ReadonlyArray<Message>, limits: CompactionLimits): number => {
  const start = Math.max(0, messages.length - limits.maxRecent)
  const index = afterResults(messages, start)
  return index < messages.length ? index : withItsCall(messages, start)
}

/** After failures only once more messages were added, twice as many for each failure. */
export const mayTry = (compaction: Compaction | null, length: number, limits: CompactionLimits): boolean =>
  compaction === null || compaction.failures === 0
  || length - compaction.failedAt >= limits.maxRecent * 2 ** Math.min(compaction.failures - 1, 6)

const withItsCall = (messages: ReadonlyArray<Message>, index: number): number => {
  let split = index
  while (split > 0 && messages[split]?.role === "tool") split -= 1
  return split
}

const afterResults = (messages: ReadonlyArray<Message>, index: number): number => {
  let split = index
  while (messages[split]?.role === "tool") split += 1
  return split
}
