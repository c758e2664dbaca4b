import { UserId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import { shortened } from "@troupe/domain/Text"
import type { User } from "@troupe/domain/User"
import { Effect, Option, Schema } from "effect"
import type { ChatFailed, ChatPlatform } from "../Chat/ChatPlatform.ts"
import { AttemptFailed, type Superseded } from "../Queue/AttemptFailed.ts"
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
  readonly platform: Pick<ChatPlatform["Type"], "closed" | "update">
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
      const { conversation, id, text } = buttons.value
      yield* handedOver
      const post = platform.closed(text, [`Answered by ${name}: ${shortened(answer, maxAnswer)}`])
      return yield* platform.update({ conversation, id, post }).pipe(
        Effect.as(null),
        Effect.catchAll((failed) =>
          failed.about === "message" || failed.about === "channel"
            ? Effect.succeed("The question can no longer be changed.")
            : failureOf(failed)
        )
      )
    }
  )

const maxAnswer = 500
