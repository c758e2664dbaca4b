import { counter, histogram, open, secondsUpTo } from "../Runtime/Telemetry/Metrics.ts"
import type { ToolOutcome } from "./AgentTool.ts"
import type { Toolbox } from "./Toolbox.ts"

const calls = counter("troupe_tool_calls", "Tool calls by tool and outcome, those to tool servers under one name.", {
  tool: open,
  outcome: open
})

const callSeconds = histogram("troupe_tool_call_seconds", "Duration of a tool call.", secondsUpTo(300))

export const callOutcome = (outcome: ToolOutcome): string =>
  outcome._tag === "Answered"
    ? outcome.content.startsWith("Error:") ? "error" : "answered"
    : outcome._tag.toLowerCase()

/** Models invent names, which must not become labels. */
export const labelOf = (name: string, { tools }: Toolbox): string => {
  if (name.includes("__")) return "server"
  return tools.some((tool) => tool.name === name) ? name : "unknown"
}

export const called = (tool: string, outcome: string, millis: number): void => {
  calls(1, { tool, outcome })
  callSeconds(millis / 1000)
}
