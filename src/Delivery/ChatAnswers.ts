import { approvalChoices, mailChoices } from "@troupe/domain/Approval"
import { isMailQuestion } from "@troupe/domain/AskedText"
import { UserId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import { shortened } from "@troupe/domain/Text"
import type { User } from "@troupe/domain/User"
import { visibleLine } from "@troupe/domain/VisibleSigns"
import { Effect, Option, Schema } from "effect"
import type { ChatFailed, ChatPlatform } from "../Chat/ChatPlatform.ts"
import { AttemptFailed, type Superseded } from "../Queue/AttemptFailed.ts"
import type { Decision, MessageThreads } from "./MessageThreads.ts"
import { approvalButtons } from "./NotificationText.ts"
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
  readonly threads: Pick<MessageThreads, "buttonsOf" | "decisionsOf">
  readonly nameOf: (id: UserId) => Effect.Effect<Option.Option<User>>
  readonly failureOf: (failed: ChatFailed) => AttemptFailed
}

/**
 * Replaces the buttons of a question by who answered it and how. Of calls that ask, each has its decision, and those that are open
 * keep their buttons. It may be repeated.
 */
export const makeShowAnswer = ({ failureOf, nameOf, platform, threads }: AnswerServices) => {
  const nameOfUser = (by: UserId | null) =>
    Effect.map(by === null ? Effect.succeedNone : nameOf(by), (user) =>
      Option.match(user, {
        onNone: () => by ?? "the operator",
        onSome: ({ display_name, id, name }) => display_name ?? name ?? id
      }))
  return Effect.fnUntraced(
    function*(
      { content, task_id: taskId }: ClaimedMessage,
      handedOver: Effect.Effect<void, AttemptFailed | Superseded>
    ) {
      const { answer, by, question } = yield* Effect.mapError(
        Schema.decodeUnknown(Answered)(content._tag === "Payload" ? content.payload : ""),
        () => AttemptFailed.refused("The stored answer can't be read.")
      )
      const buttons = yield* threads.buttonsOf(question)
      if (Option.isNone(buttons)) return null
      const { conversation, id, text } = buttons.value
      const rows = taskId === null ? [] : yield* threads.decisionsOf(question)
      const [first] = rows
      const post = first === undefined || taskId === null
        ? platform.closed(text, [`Answered by ${yield* nameOfUser(by)}: ${shortened(answer, maxAnswer)}`])
        : platform.closed(
          text,
          [rows.map((row, at) => decisionText(row, rows.length === 1 ? null : at + 1)).join("\n")],
          approvalButtons(taskId, {
            call: rows.length === 1 ? first.tool_call_id : JSON.stringify(rows.map((row) => row.tool_call_id)),
            choices: isMailQuestion(first, rows.length === 1) ? mailChoices : approvalChoices
          }, rows.map((row) => ({ approval: row.id, call: row.tool_call_id, isOpen: row.status === "open" })))
        )
      yield* handedOver
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
}

const maxAnswer = 500

const did: Readonly<Record<Decision["status"], string>> = {
  open: "open",
  approved: "approved",
  denied: "denied",
  cancelled: "not decided, because the task was cancelled"
}

/** One line; several calls are numbered as in the question. */
const decisionText = ({ decided_by, edited, reason, status, tool }: Decision, place: number | null): string => {
  const how = `${did[status]}${edited ? " with other arguments" : ""}`
  const by = status === "approved" || status === "denied" ? ` by ${decided_by ?? "the operator"}` : ""
  const why = reason === null || reason.trim() === "" ? "" : `: ${visibleLine(shortened(reason, maxAnswer))}`
  const text = `${how}${by}${why}`
  return place === null
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : `${place}. ${visibleLine(shortened(tool, 100))}: ${text}`
}
