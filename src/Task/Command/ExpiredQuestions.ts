import { decline } from "@troupe/domain/ServerQuestion"
import { Effect, Layer } from "effect"
import { OnQuestionExpired } from "../../Tool/OnQuestionExpired.ts"
import { TaskCommands } from "./TaskCommands.ts"

/** Ends the wait of a task for an answer to a question that its tool server has taken back or that was declined. */
export const layer: Layer.Layer<OnQuestionExpired, never, TaskCommands> = Layer.effect(
  OnQuestionExpired,
  Effect.map(
    TaskCommands,
    ({ answer }) => (task, question) =>
      Effect.asVoid(answer(task, decline, null, { call: question, given: { action: "decline", expired: true } }))
  )
)
