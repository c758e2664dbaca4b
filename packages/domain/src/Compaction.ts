import type { Message } from "./Message.ts"

/** The older part of a conversation, told in a text: messages before `upto` are no longer shown to the model. */
export interface Compacted {
  readonly summary: string
  readonly upto: number
}

export interface CompactionLimits {
  /** More messages than this are compacted (`COMPACTION_THRESHOLD`). */
  readonly threshold: number
  /** Messages that stay as they are (`MAX_RECENT_MESSAGES`). */
  readonly maxRecent: number
}

/** What the model sees of a conversation: the summary of the older messages, if there is one, and the others. */
export const visible = (messages: ReadonlyArray<Message>, compacted: Compacted | null): ReadonlyArray<Message> =>
  compacted === null
    ? messages
    : [{ role: "system", content: compacted.summary }, ...messages.slice(compacted.upto)]

/**
 * The index before which messages are to be summarised, or null when nothing is due: more than `threshold` are visible.
 * The split moves back so that tool results stay with the call that asked for them; it never moves before what is
 * already summarised (service.md, "Conversation compaction").
 */
export const splitIndex = (
  messages: ReadonlyArray<Message>,
  compacted: Compacted | null,
  limits: CompactionLimits
): number | null => {
  const from = compacted?.upto ?? 0
  if (visible(messages, compacted).length <= limits.threshold) return null
  const split = withItsCall(messages, Math.max(from, messages.length - limits.maxRecent))
  return split > from ? split : null
}

/** Without a summary only the most recent messages stay, and leading tool results go, as their call is gone. */
export const fallbackIndex = (messages: ReadonlyArray<Message>, limits: CompactionLimits): number => {
  let index = Math.max(0, messages.length - limits.maxRecent)
  while (messages[index]?.role === "tool") index += 1
  return index
}

const withItsCall = (messages: ReadonlyArray<Message>, index: number): number => {
  let split = index
  while (split > 0 && messages[split]?.role === "tool") split -= 1
  return split
}
