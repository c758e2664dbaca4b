import { fence } from "@troupe/domain/Fence"
import { plural } from "@troupe/domain/Plural"
import { headOf } from "@troupe/domain/ToolResult"
import { Effect, Option } from "effect"
import type { ChatFailed, ChatMessage, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { type Names, plainText } from "../../Wire/MrkdwnText.ts"

const maxMessages = 30
const maxChars = 8_000
const maxMessageChars = 2_000
const maxPages = 5

interface Place {
  readonly channel: string
  readonly thread: string
  readonly ts: string
}

export interface EarlierMessages {
  readonly messages: ReadonlyArray<ChatMessage>
  /** Whether these are all. */
  readonly isWhole: boolean
}

/** The platform lists a thread from its beginning. Of a long one, only its last minutes are read, or hours, or days. */
const windows = [600, 21_600, 518_400, 12_960_000]

/** The last messages of a thread before this one: all, unless the thread is long. */
export const earlierMessages = (
  platform: ChatPlatform["Type"],
  place: Place
): Effect.Effect<EarlierMessages, ChatFailed> =>
  Effect.gen(function*() {
    const all = yield* messagesSince(platform, place, null, 1)
    if (all.isWhole) return all
    let last: ReadonlyArray<ChatMessage> = []
    for (const seconds of windows) {
      const found = yield* messagesSince(platform, place, (Number(place.ts) - seconds).toFixed(6), maxPages)
      if (!found.isWhole) break
      last = found.messages
      if (last.length >= maxMessages) break
    }
    return { messages: last, isWhole: false }
  })

const messagesSince = (
  platform: ChatPlatform["Type"],
  { channel, thread, ts }: Place,
  oldest: string | null,
  pages: number
): Effect.Effect<EarlierMessages, ChatFailed> =>
  Effect.gen(function*() {
    let messages: ReadonlyArray<ChatMessage> = []
    let cursor: string | null = null
    for (let page = 0; page < pages; page++) {
      const { items, next }: { readonly items: ReadonlyArray<ChatMessage>; readonly next: string | null } =
        yield* platform.replies({ channel, ts: thread, oldest, cursor })
      messages = [...messages, ...items.filter((one) => isBefore(one.ts, ts))]
      cursor = next
      if (cursor === null) break
    }
    return { messages, isWhole: cursor === null }
  })

/** Timestamps of the platform have seconds and six decimals. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : Number(one) < Number(other)

/** The last of these messages as marked data, for the agent; none without messages. */
export const threadContext = (
  { isWhole, messages }: EarlierMessages,
  names: Names
): Option.Option<string> => {
  const lines: Array<string> = []
  let chars = 0
  for (const { botId, text, user } of messages.slice(-maxMessages).toReversed()) {
    const from = user === null ? (botId === null ? "somebody" : "a bot") : names.user(user) ?? user
    const line = `${from}: ${headOf(plainText(text, names), maxMessageChars)}`
    chars += line.length + 1
    if (chars > maxChars) break
    lines.unshift(line)
  }
  if (lines.length === 0) return Option.none()
  const left = messages.length - lines.length
  return Option.some(
    `What was said before in this thread of the team chat${
      !isWhole ? " (earlier messages left out)" : left > 0 ? ` (${plural(left, "earlier message")} left out)` : ""
    }:\n${fence("chat_thread", lines.join("\n"))}`
  )
}
