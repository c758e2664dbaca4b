import { counter, histogram, open, secondsUpTo } from "../Runtime/Metrics.ts"
import type { ToolOutcome } from "./Tool.ts"
import type { Toolbox } from "./Toolbox.ts"

const calls = counter("troupe_tool_calls", "Tool calls that were run, those to tool servers under one name.", {
  tool: open,
  outcome: open
})

const callSeconds = histogram("troupe_tool_call_seconds", "How long a tool call took.", secondsUpTo(300))

/** What a call came to, in one word. */
export const outcomeOf = (outcome: ToolOutcome): string =>
  outcome._tag === "Answered"
    ? outcome.content.startsWith("Error:") ? "error" : "answered"
    : outcome._tag.toLowerCase()

/** Models make names up, so only those of tools that are there are told. */
export const labelOf = (name: string, { tools }: Toolbox): string => {
  if (name.includes("__")) return "server"
  return tools.some((tool) => tool.name === name) ? name : "unknown"
}

export const called = (name: string, toolbox: Toolbox, outcome: ToolOutcome, millis: number): void => {
  calls(1, { tool: labelOf(name, toolbox), outcome: outcomeOf(outcome) })
  callSeconds(millis / 1000)
}
