import * as Tool from "@effect/ai/Tool"
import { Effect, Schema } from "effect"
import type { AgentTool, ToolOutcome } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

const parameters = {
  question: Schema.NonEmptyString.annotations({ description: "The question, understandable on its own" }),
  wait_for_answer: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true pauses the task until a human answers; false only sends the message. Default: true"
    }),
    { default: () => true }
  ),
  choices: Schema.optional(
    Schema.Array(Schema.NonEmptyString).annotations({ description: "Answers to choose from. Default: none" })
  )
}

const AskHuman = Tool.make("ask_human", {
  description:
    "Ask the human who gave you the task. Use it when you can't go on without a decision or a fact that only "
    + "a human has. The task pauses until the answer comes, which may take days; the answer is the result.",
  parameters
}).annotateContext(readOnly)

/** A message without an answer is sent in the commit of the call's result, so it is sent once. */
export const askHuman: AgentTool = implement(AskHuman, {
  timeout: "10 seconds",
  run: ({ choices = [], question, wait_for_answer: waits }) => {
    const content = [question, ...choices.map((choice) => `- ${choice}`)].join("\n")
    return Effect.succeed<ToolOutcome>(
      waits
        ? { _tag: "Asked", content, ...(choices.length === 0 ? {} : { choices }) }
        : { _tag: "Answered", content: "The message was sent. No answer will come; go on.", notice: content }
    )
  }
})
