import type { Message, SystemMessage } from "./Message.ts"
import type { Compacted } from "./Step.ts"
import { headOf } from "./ToolResult.ts"

/** The older part of a conversation, of which the model sees a note: messages before `upto` are no longer shown. */
export interface Compaction {
  /** Tells of the messages before `told`; null while no summary was made. */
  readonly summary: string | null
  readonly told: number
  readonly upto: number
  /** The one message in the place of the hidden ones. What was asked for at first is kept in any case. */
  readonly note: SystemMessage
  /** Attempts in a row that came to no summary, and how long the conversation was at the last one. */
  readonly failures: number
  readonly failedAt: number
  /** The model's window was overrun, and the model was not heard of since. */
  readonly overran: boolean
}

export interface CompactionLimits {
  /** More messages than this are compacted (`COMPACTION_THRESHOLD`). */
  readonly threshold: number
  /** Messages that stay as they are (`MAX_RECENT_MESSAGES`). */
  readonly maxRecent: number
}

/** The compaction after one more step of its kind. Where a step brings no summary the earlier one stands. */
export const compact = (
  messages: ReadonlyArray<Message>,
  before: Compaction | null,
  step: Compacted
): Compaction => {
  const summary = step.summary ?? before?.summary ?? null
  const told = step.summary === null ? before?.told ?? 0 : step.upto
  const tried = step.failure !== undefined
  return {
    summary,
    told,
    upto: step.upto,
    note: { role: "system", content: noteOf(messages, summary, step.upto - told) },
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

/** Of a first message that no summary tells of this much is kept; the system prompt has the request as a whole. */
const openingChars = 4_000

/** What the model sees of a conversation: a note on the older messages, if they are hidden, and the others. */
export const visible = (messages: ReadonlyArray<Message>, compaction: Compaction | null): ReadonlyArray<Message> =>
  compaction === null ? messages : [compaction.note, ...messages.slice(compaction.upto)]

/** How many messages the model sees. */
export const visibleCount = (messages: ReadonlyArray<Message>, compaction: Compaction | null): number =>
  compaction === null ? messages.length : 1 + messages.length - compaction.upto

/**
 * The index before which messages are to be summarised, or null when nothing is due: more than `threshold` are visible,
 * and fewer would be afterwards. The split moves back so that tool results stay with the call that asked for them; it
 * never moves before what is hidden already (service.md, "Conversation compaction").
 */
export const splitIndex = (
  messages: ReadonlyArray<Message>,
  compaction: Compaction | null,
  limits: CompactionLimits
): number | null => {
  const count = visibleCount(messages, compaction)
  if (count <= limits.threshold) return null
  const from = compaction?.upto ?? 0
  const split = withItsCall(messages, Math.max(from, messages.length - limits.maxRecent))
  return split > from && 1 + messages.length - split < count ? split : null
}

/**
 * Without a summary only the most recent messages stay, and leading tool results go, as their call is gone. Where that
 * would leave nothing, the last call stays with its results.
 */
export const fallbackIndex = (messages: ReadonlyArray<Message>, limits: CompactionLimits): number => {
  const start = Math.max(0, messages.length - limits.maxRecent)
  let index = start
  while (messages[index]?.role === "tool") index += 1
  return index < messages.length ? index : withItsCall(messages, start)
}

/**
 * Whether a summary may be asked for: after a failure only when some more messages have come, after each further one
 * when twice as many have.
 */
export const mayTry = (compaction: Compaction | null, length: number, limits: CompactionLimits): boolean =>
  compaction === null || compaction.failures === 0
  || length - compaction.failedAt >= limits.maxRecent * 2 ** Math.min(compaction.failures - 1, 6)

const withItsCall = (messages: ReadonlyArray<Message>, index: number): number => {
  let split = index
  while (split > 0 && messages[split]?.role === "tool") split -= 1
  return split
}
