import { UserId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import { shortened } from "@troupe/domain/Text"
import type { User } from "@troupe/domain/User"
import { Effect, Option, Schema } from "effect"
import type { ChatFailed, ChatPlatform } from "../Chat/ChatPlatform.ts"
import { escaped } from "../Chat/Slack/Mrkdwn.ts"
import { AttemptFailed, type Superseded } from "../Queue/AttemptFailed.ts"
import { section } from "./ChatBlocks.ts"
import type { MessageThreads } from "./MessageThreads.ts"
import type { ClaimedMessage } from "./OutboxChannel.ts"

/** The kind of messages that take the buttons from a question; the statement of an answer adds them. */
export const answeredKind = "answered"

/** Who answered which message, as the payload has it. */
const Answered = Schema.parseJson(Schema.Struct({
  question: OutboxId,
  by: Schema.NullOr(UserId),
  answer: Schema.String
}))

interface AnswerServices {
  readonly platform: Pick<ChatPlatform["Type"], "updateMessage">
  readonly threads: Pick<MessageThreads, "buttonsOf">
  readonly nameOf: (id: UserId) => Effect.Effect<Option.Option<User>>
  readonly failureOf: (failed: ChatFailed) => AttemptFailed
}

/** Replaces the buttons of a question by who answered it and how. It may be repeated. */
export const makeShowAnswer = ({ failureOf, nameOf, platform, threads }: AnswerServices) =>
  Effect.fnUntraced(
    function*({ content }: ClaimedMessage, handedOver: Effect.Effect<void, AttemptFailed | Superseded>) {
      const { answer, by, question } = yield* Effect.mapError(
        Schema.decodeUnknown(Answered)(content._tag === "Payload" ? content.payload : ""),
        () => AttemptFailed.refused("The stored answer can't be read.")
      )
      const buttons = yield* threads.buttonsOf(question)
      if (Option.isNone(buttons)) return null
      const user = by === null ? Option.none() : yield* nameOf(by)
      const name = Option.match(user, {
        onNone: () => by ?? "the operator",
        onSome: ({ display_name, id, name }) => display_name ?? name ?? id
      })
      const { channel, text, ts } = buttons.value
      const line = `Answered by ${escaped(name)}: ${escaped(shortened(answer, maxAnswer))}`
      yield* handedOver
      return yield* platform.updateMessage({
        channel,
        ts,
        text: `${text}\n\n${line}`,
        blocks: [section(text), section(line)]
      }).pipe(
        Effect.as(null),
        Effect.catchAll((failed) =>
          gone.includes(failed.code ?? "")
            ? Effect.succeed("The question can no longer be changed.")
            : failureOf(failed)
        )
      )
    }
  )

const maxAnswer = 500

/** The message was deleted, or its channel was. */
const gone: ReadonlyArray<string> = [
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "channel_not_found",
  "is_archived"
]
