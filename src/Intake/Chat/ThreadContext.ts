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

export const earlierMessages = (
  platform: ChatPlatform["Type"],
  { channel, thread, ts }: { readonly channel: string; readonly thread: string; readonly ts: string }
): Effect.Effect<ReadonlyArray<ChatMessage>, ChatFailed> =>
  Effect.gen(function*() {
    let found: ReadonlyArray<ChatMessage> = []
    let cursor: string | null = null
    for (let page = 0; page < maxPages; page++) {
      const { items, next }: { readonly items: ReadonlyArray<ChatMessage>; readonly next: string | null } =
        yield* platform.replies({ channel, ts: thread, cursor })
      found = [...found, ...items.filter((one) => isBefore(one.ts, ts))]
      cursor = next
      if (cursor === null) break
    }
    return found
  })

/** Timestamps of the platform have seconds and six decimals. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : Number(one) < Number(other)

/** The last of these messages as marked data, for the agent; none without messages. */
export const threadContext = (
  messages: ReadonlyArray<ChatMessage>,
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
      left > 0 ? ` (${plural(left, "earlier message")} left out)` : ""
    }:\n${fence("chat_thread", lines.join("\n"))}`
  )
}
