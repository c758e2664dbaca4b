import { headOf, markedData, plural } from "@troupe/domain/Text"
import { Effect, Option } from "effect"
import { type ChatFailed, type ChatMessage, type ChatPlatform, firstPages } from "../../Wire/ChatPlatform.ts"
import { mentionedUsers, type NameOf, plainText } from "../../Wire/MrkdwnText.ts"
import type { InboundFailed } from "../InboundMessage.ts"
import type { Message } from "./ChatEvent.ts"
import { inboundFailureOf } from "./ChatFailure.ts"
import type { ChatSenders } from "./ChatSenders.ts"

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
  { replies }: ChatPlatform["Type"],
  { channel, thread, ts }: Place,
  oldest: string | null,
  pages: number
): Effect.Effect<EarlierMessages, ChatFailed> =>
  Effect.map(
    firstPages(pages, (cursor) => replies({ channel, ts: thread, oldest, cursor })),
    ({ isWhole, items }) => ({ messages: items.filter((one) => isBefore(one.ts, ts)), isWhole })
  )

/** Timestamps of the platform have seconds and six decimals. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : Number(one) < Number(other)

/** The last of these messages as marked data, for the agent; none without messages. */
export const threadContext = (
  { isWhole, messages }: EarlierMessages,
  nameOf: NameOf
): Option.Option<string> => {
  const lines: Array<string> = []
  let chars = 0
  for (const { botId, text, user } of messages.slice(-maxMessages).toReversed()) {
    const from = user === null ? (botId === null ? "somebody" : "a bot") : nameOf(user) ?? user
    const line = `${from}: ${headOf(plainText(text, nameOf), maxMessageChars)}`
    chars += line.length + 1
    if (chars > maxChars) break
    lines.unshift(line)
  }
  if (lines.length === 0) return Option.none()
  const left = messages.length - lines.length
  return Option.some(
    `What was said before in this thread of the team chat${
      !isWhole ? " (earlier messages left out)" : left > 0 ? ` (${plural(left, "earlier message")} left out)` : ""
    }:\n${markedData("chat_thread", lines.join("\n"))}`
  )
}

/** What was said in the thread of the message before it, with people by name; none outside of threads. */
export const contextOf = (
  { platform, senders }: { readonly platform: ChatPlatform["Type"]; readonly senders: ChatSenders["Type"] },
  { channel, threadTs, ts }: Message,
  ourselves: ReadonlyArray<string>
): Effect.Effect<Option.Option<string>, InboundFailed> =>
  Effect.gen(function*() {
    if (threadTs === null || threadTs === ts) return Option.none()
    const before = yield* earlierMessages(platform, { channel, thread: threadTs, ts }).pipe(
      // Without these messages the request may still be understood.
      Effect.catchAll((failed) =>
        failed.kind === "refused"
          ? Effect.as(
            Effect.logWarning(
              `Reading the messages of a thread failed; the task starts without them: ${failed.reason}`
            ),
            { messages: [], isWhole: true }
          )
          : inboundFailureOf(failed)
      )
    )
    const nameOf = yield* senders.nameOf(
      before.messages.flatMap(({ text, user }) => [...mentionedUsers(text), ...(user === null ? [] : [user])])
    )
    return threadContext(before, (id) => ourselves.includes(id) ? "you" : nameOf(id))
  })
