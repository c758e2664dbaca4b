import type { Step } from "./Step.ts"

/** Numbered work steps, or what the model wrote beside tool calls. A task's plan is that of its first step with one. */
export const planOf = (step: Step): string | null => {
  switch (step.kind) {
    case "prepared":
      return textOrNull((step.steps ?? []).map((text, index) => `${index + 1}. ${text}`).join("\n"))
    case "model":
      return step.message.tool_calls.length === 0 ? null : textOrNull(step.message.content.trim())
    default:
      return null
  }
}

const textOrNull = (text: string): string | null => text === "" ? null : text
