import type { ToolCall } from "@troupe/domain/Message"
import { isNamed, isOutside, type SeenContext } from "@troupe/domain/SeenContext"
import type { CallInput } from "@troupe/domain/ServerQuestion"
import type { Decided, Shown } from "@troupe/domain/Shown"
import type { Resulted } from "@troupe/domain/Step"
import { Effect, Either } from "effect"
import { contentText } from "../Model/SpanContent.ts"
import type { Policies } from "../Policy/Policies.ts"
import { inSpan, timed } from "../Runtime/HotPath.ts"
import { counter, histogram, open, secondsUpTo } from "../Runtime/Telemetry/Metrics.ts"
import type { AgentTool, ToolOutcome } from "../Tool/AgentTool.ts"
import { parseArguments, type Toolbox } from "../Tool/Toolbox.ts"
import type { AgentTask, LoopSettings, Recorded, StepOutcome, SubtaskPort } from "./AgentDependencies.ts"
import type { AsAgent } from "./Definition/SubagentAgent.ts"

export type Result = Resulted["results"][number]

export interface ToolStepContext<E> {
  readonly toolbox: Toolbox
  readonly policies: Pick<Policies["Type"], "current" | "approvalsFor" | "grantsFor" | "grantUsed">
  readonly settings: LoopSettings
  readonly task: AgentTask
  readonly record: (outcome: StepOutcome) => Effect.Effect<Recorded, E>
  readonly subtasks: SubtaskPort
  /** The request of a subtask, as the agent that the call names or else as the one of this task. */
  readonly asAgent: AsAgent
}

export interface Finished {
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  readonly millis: number
  readonly outside: boolean
  /** What its result shows the model. */
  readonly shown: Shown | undefined
  readonly decided: Decided["calls"][number] | null
}

export interface CallToMake {
  readonly call: ToolCall
  readonly outside: boolean
  readonly decided?: Finished["decided"]
  /** The digest of what was reviewed. */
  readonly reviewed?: string | undefined
  readonly input?: CallInput | undefined
}

/** Data of a tool server is private unless a person has named what the call gets. */
const shownBy = (
  tool: AgentTool | undefined,
  call: ToolCall,
  outcome: ToolOutcome,
  seen: SeenContext
): Shown | undefined => {
  if (tool === undefined || (outcome._tag !== "Answered" && outcome._tag !== "Deferred")) return undefined
  const shows = outcome._tag === "Answered" ? outcome.shows ?? tool.shows : tool.shows
  return shows === undefined || tool.server === undefined || seen.privateSince !== null
    ? shows
    : { ...shows, ...(isNamed(seen, argumentsOf(call)) ? {} : { private: true }) }
}

const argumentsOf = (call: ToolCall): unknown => Either.getOrElse(parseArguments(call.arguments), () => ({}))

export const callTool = <E>(
  { settings, task, toolbox }: ToolStepContext<E>,
  call: ToolCall,
  seen: SeenContext,
  outside: boolean,
  { decided = null, input, reviewed }: Pick<CallToMake, "decided" | "input" | "reviewed"> = {}
): Effect.Effect<Finished> => {
  const tool = labelOf(call.name, toolbox)
  const calling = toolbox.call(call, {
    taskId: task.taskId,
    userId: task.creator,
    callId: call.id,
    written: seen.written,
    isOutside: isOutside(seen),
    ...(reviewed === undefined ? {} : { reviewed }),
    ...(input === undefined ? {} : { input })
  })
  // A name that no tool has is a text of the model.
  const name = tool === "unknown" ? tool : call.name
  return inSpan(
    `execute_tool ${name}`,
    () => ({
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": tool === "server" ? "extension" : "function"
      }
    }),
    (span) => {
      const record = (name: string, text: string) => {
        if (settings.recordsContent && span?.sampled) span.attribute(name, contentText(text))
      }
      record("gen_ai.tool.call.arguments", call.arguments)
      return Effect.map(timed(calling), ([elapsed, outcome]) => {
        const label = callOutcome(outcome)
        const millis = Math.round(elapsed)
        span?.attribute("outcome", label)
        record("gen_ai.tool.call.result", outcome.content)
        if (label === "error") span?.attribute("error.type", "ToolFailed")
        count(tool, label, millis)
        return { call, outcome, millis, outside, decided, shown: shownBy(toolbox.find(call.name), call, outcome, seen) }
      })
    }
  )
}

/** The result of a call as it is journalled. */
export const toolResultOf = (call: Pick<ToolCall, "id" | "name">, content: string, millis = 0): Result => ({
  message: { role: "tool", tool_call_id: call.id, name: call.name, content },
  millis
})

const calls = counter("troupe_tool_calls", "Tool calls by tool and outcome, those to tool servers under one name.", {
  tool: open,
  outcome: open
})

const callSeconds = histogram("troupe_tool_call_seconds", "Duration of a tool call.", secondsUpTo(300))

const callOutcome = (outcome: ToolOutcome): string =>
  outcome._tag === "Answered"
    ? outcome.content.startsWith("Error:") ? "error" : "answered"
    : outcome._tag.toLowerCase()

/** Models invent names, which must not become labels. */
const labelOf = (name: string, { tools }: Toolbox): string => {
  if (name.includes("__")) return "server"
  return tools.some((tool) => tool.name === name) ? name : "unknown"
}

const count = (tool: string, outcome: string, millis: number): void => {
  calls(1, { tool, outcome })
  callSeconds(millis / 1000)
}
