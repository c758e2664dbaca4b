import { headOf, markedSection, plural } from "@troupe/domain/Text"
import { Effect } from "effect"
import {
  type ChatFailed,
  type ChatMessage,
  type ChatPlatform,
  type FirstPages,
  firstPages
} from "../../Chat/ChatPlatform.ts"
import type { NameOf } from "../../Chat/Slack/MrkdwnText.ts"
import type { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { inboundFailureOf } from "./ChatContext.ts"
import type { MessageEvent } from "./ChatEvent.ts"
import type { ChatSenders } from "./ChatSenders.ts"
import { namedIn, spokenText } from "./MessageContent.ts"

const maxMessages = 30
const maxChars = 8_000
const maxMessageChars = 2_000
const maxPages = 5

/** The platform lists a thread from its beginning. Of a long one, only its last minutes are read, or hours, or days. */
const windows = [600, 21_600, 518_400, 12_960_000]

/** The last messages of a thread before the one at `ts`: all, unless the thread is long. */
export const earlierMessages = (
  { replies }: ChatPlatform["Type"],
  { channel, thread, ts }: { readonly channel: string; readonly thread: string; readonly ts: string }
): Effect.Effect<FirstPages<ChatMessage>, ChatFailed> =>
  Effect.gen(function*() {
    const since = (oldest: string | null, pages: number) =>
      Effect.map(
        firstPages(pages, (cursor) => replies({ channel, ts: thread, oldest, cursor })),
        ({ isWhole, items }) => ({ items: items.filter((one) => Number(one.ts) < Number(ts)), isWhole })
      )
    const all = yield* since(null, 1)
    if (all.isWhole) return all
    let last: ReadonlyArray<ChatMessage> = []
    for (const seconds of windows) {
      const found = yield* since((Number(ts) - seconds).toFixed(6), maxPages)
      if (!found.isWhole) break
      last = found.items
      if (last.length >= maxMessages) break
    }
    return { items: last, isWhole: false }
  })

/** The last of these messages as marked data, for the agent: a paragraph, none without messages. */
export const threadContext = (
  { isWhole, items }: FirstPages<ChatMessage>,
  nameOf: NameOf
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let chars = 0
  for (const message of items.slice(-maxMessages).toReversed()) {
    const { botId, user } = message
    const from = user === null ? (botId === null ? "somebody" : "a bot") : nameOf(user) ?? user
    const line = `${from}: ${headOf(spokenText(message, nameOf), maxMessageChars)}`
    chars += line.length + 1
    if (chars > maxChars) break
    lines.unshift(line)
  }
  const left = items.length - lines.length
  const note = !isWhole
    ? " (earlier messages left out)"
    : left > 0
    ? ` (${plural(left, "earlier message")} left out)`
    : ""
  return markedSection(
    `What was said before in this thread of the team chat${note}`,
    "chat_thread",
    lines.join("\n")
  )
}

/** The earlier messages of the message's thread, with people by name; none outside of threads. */
export const threadContextOf = (
  { platform, senders }: { readonly platform: ChatPlatform["Type"]; readonly senders: ChatSenders["Type"] },
  { channel, threadTs, ts }: MessageEvent,
  ourselves: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, AttemptFailed> =>
  Effect.gen(function*() {
    if (threadTs === null || threadTs === ts) return []
    const before = yield* earlierMessages(platform, { channel, thread: threadTs, ts }).pipe(
      // Without these messages the request may still be understood.
      Effect.catchAll((failed) =>
        failed.kind === "refused"
          ? Effect.as(
            Effect.logWarning(
              `Reading the messages of a thread failed; the task starts without them: ${failed.reason}`
            ),
            { items: [], isWhole: true }
          )
          : inboundFailureOf(failed)
      )
    )
    const named = before.items.map(namedIn)
    const nameOf = yield* senders.nameOf({
      users: [...named.flatMap(({ users }) => users), ...before.items.flatMap(({ user }) => user ?? [])],
      channels: named.flatMap(({ channels }) => channels)
    })
    return threadContext(before, (id) => ourselves.includes(id) ? "you" : nameOf(id))
  })
