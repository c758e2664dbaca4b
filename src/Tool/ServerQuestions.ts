import { ToolCallId } from "@troupe/domain/Ids"
import { type CallInput, openQuestion, questionId, unanswered } from "@troupe/domain/ServerQuestion"
import { asSentence } from "@troupe/domain/Text"
import { Effect, Either } from "effect"
import { askedBy, maxRounds, requiresInput } from "../ToolServer/InputRequired.ts"
import type { Asking } from "../ToolServer/ServerCall.ts"
import type { ServerTool } from "../ToolServer/ServerTool.ts"
import { type ToolContext, ToolFailed, type ToolOutcome } from "./AgentTool.ts"
import { OnQuestionExpired } from "./OnQuestionExpired.ts"

type Result = Readonly<Record<string, unknown>>

const askedBefore = (input: CallInput | undefined): number =>
  input === undefined ? 0 : input.before + Math.max(1, input.questions.length)

/** A subagent can't ask a person. */
export const askingIn = (
  { callId, session, taskId }: ToolContext,
  input: CallInput | undefined
): Effect.Effect<Asking | undefined> =>
  session !== undefined
    ? Effect.succeed(undefined)
    : Effect.map(OnQuestionExpired, ({ cancelled, expired }) => ({
      id: `${taskId} ${callId}`,
      input,
      expired: expired(taskId, questionId(ToolCallId.make(callId), askedBefore(input))),
      cancelled: cancelled(taskId)
    }))

/** Makes a call, again and again where its server only wants its state back, until it has a result or asks a person. */
export const callUntilAsked = <E>(
  { name, server }: ServerTool,
  context: ToolContext,
  call: (input: CallInput | undefined) => Effect.Effect<Result, E>
): Effect.Effect<ToolOutcome | { readonly result: Result }, E | ToolFailed> => {
  const failed = (reason: string) =>
    new ToolFailed({ reason: `${name} of the tool server ${server} failed: ${asSentence(reason)}` })
  const round = (
    input: CallInput | undefined
  ): Effect.Effect<ToolOutcome | { readonly result: Result }, E | ToolFailed> =>
    Effect.flatMap(call(input), (result) => {
      if (!requiresInput(result)) return Effect.succeed({ result })
      const before = askedBefore(input)
      const asked = askedBy(server, result)
      if (Either.isLeft(asked)) {
        return Effect.zipRight(
          Effect.logWarning(`A question of tool server ${server} was refused: ${asked.left}`),
          failed(asked.left)
        )
      }
      if (context.session !== undefined) return failed(noSubagentAsks)
      if (before + asked.right.questions.length > maxRounds) {
        return failed(`it asks more than ${maxRounds} questions, so it was given up`)
      }
      const next = unanswered({ ...asked.right, id: ToolCallId.make(context.callId), before })
      const question = openQuestion(next)
      return question === null
        ? Effect.delay(round(next), "1 second")
        : Effect.succeed<ToolOutcome>({ _tag: "Requires", content: question.text, input: next })
    })
  return round(context.input)
}

const noSubagentAsks =
  "it asks a person, and a subagent can't ask. Say so in your result, with the arguments: the parent agent can make the call"
