import type { Shown } from "@troupe/domain/Shown"
import { headOf, markedSection, plural } from "@troupe/domain/Text"
import { Effect } from "effect"
import type { MessageEvent } from "../../Chat/ChatEvent.ts"
import type { ChatPlatform, KeptMessages } from "../../Chat/ChatPlatform.ts"
import type { NameOf } from "../../Chat/ChatText.ts"
import type { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { inboundFailureOf } from "./ChatContext.ts"
import type { ChatSenders } from "./ChatSenders.ts"
import { namedIn, spokenText } from "./MessageContent.ts"

const maxMessages = 30
const maxChars = 8_000
const maxMessageChars = 2_000

/** The last of these messages as marked data, for the agent: a paragraph, none without messages. */
export const threadContext = (
  { isWhole, items }: KeptMessages,
  nameOf: NameOf
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let chars = 0
  for (const message of items.slice(-maxMessages).toReversed()) {
    const { isBot, user } = message
    const from = user === null ? (isBot ? "a bot" : "somebody") : nameOf(user) ?? user
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
  message: MessageEvent,
  ourselves: ReadonlyArray<string>
): Effect.Effect<{ readonly text: ReadonlyArray<string>; readonly shown: Shown }, AttemptFailed> =>
  Effect.gen(function*() {
    if (message.thread === null || platform.history === null) return { text: [], shown: {} }
    const before = yield* platform.history.before(message.thread, message, maxMessages).pipe(
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
    const others = before.items.map(({ user }) => user).filter((user) => user === null || !ourselves.includes(user))
    const isOfTeam = others.every((user) => user !== null) && (yield* senders.areOfTeam(others))
    return {
      text: threadContext(before, (id) => ourselves.includes(id) ? "you" : nameOf(id)),
      shown: isOfTeam ? {} : { outside: "chat messages of guests or programs" }
    }
  })
