import { Schema } from "effect"
import { AssistantMessage } from "./Message.ts"
import { Prepared, type Step } from "./Step.ts"

/** What a step that tells of a plan says of it: of a model step the text beside its tool calls, without them. */
export const Planned = Schema.Union(
  Prepared.pick("kind", "steps"),
  Schema.Struct({ kind: Schema.Literal("model"), message: AssistantMessage.pick("content") })
)

/**
 * The plan that a step tells of: work steps that were found before the first model step, numbered, or what the model
 * wrote beside tool calls. A task's plan is that of the first step that tells of one (contract.md, "Tasks").
 */
export const planOf = (step: Step): string | null =>
  step.kind === "prepared" || step.kind === "model" && step.message.tool_calls.length > 0 ? planIn(step) : null

export const planIn = (planned: typeof Planned.Type): string | null => {
  if (planned.kind === "model") return textOrNull(planned.message.content.trim())
  return textOrNull((planned.steps ?? []).map((step, index) => `${index + 1}. ${step}`).join("\n"))
}

const textOrNull = (text: string): string | null => text === "" ? null : text
