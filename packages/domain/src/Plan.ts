import type { Step } from "./Step.ts"

/**
 * The plan that a step tells of: work steps that were found before the first model step, numbered, or what the model
 * wrote beside tool calls. A task's plan is that of the first step that tells of one (contract.md, "Tasks").
 */
export const planOf = (step: Step): string | null => {
  switch (step.kind) {
    case "prepared":
      return step.steps === undefined || step.steps.length === 0 ? null : numbered(step.steps)
    case "model": {
      const text = step.message.content.trim()
      return step.message.tool_calls.length === 0 || text === "" ? null : text
    }
    default:
      return null
  }
}

const numbered = (steps: ReadonlyArray<string>): string =>
  steps.map((step, index) => `${index + 1}. ${step}`).join("\n")
