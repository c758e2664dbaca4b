import { Effect, Schema } from "effect"
import { define } from "./Definition.ts"
import type { Tool, ToolOutcome } from "./Tool.ts"

const parameters = Schema.Struct({
  question: Schema.NonEmptyString.annotations({ description: "What to ask, complete in itself" }),
  wait_for_answer: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true pauses the task until a human answers; false only sends the message. Default: true"
    }),
    { default: () => true }
  ),
  choices: Schema.optional(
    Schema.Array(Schema.NonEmptyString).annotations({ description: "Answers to choose from, if there are such" })
  )
})

const sent = "The message was sent. Nobody answers it: go on."

/**
 * ask_human: a question that pauses the task until a human answers it (service.md, "Task lifecycle"), or a message to
 * which nobody answers. Such a message goes out with the result that says so, in one commit, so it is sent once.
 */
export const askHuman: Tool = define({
  name: "ask_human",
  description:
    "Ask the human who gave you the task. Use it when you can't go on without a decision or a fact that only "
    + "a human has. The task pauses until the answer comes, which may take days; the answer is the result.",
  parameters,
  effect: () => "read",
  timeout: "10 seconds",
  run: ({ choices = [], question, wait_for_answer: waits }) => {
    const content = choices.length === 0 ? question : [question, ...choices.map((choice) => `- ${choice}`)].join("\n")
    return Effect.succeed<ToolOutcome>(
      waits ? { _tag: "Asked", content } : { _tag: "Answered", content: sent, notice: content }
    )
  }
})
