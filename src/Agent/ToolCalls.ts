import type { ToolCall, ToolMessage } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import { Effect } from "effect"
import type { SpanOf, Tracer } from "../Runtime/Tracing.ts"
import type { ToolOutcome } from "../Tool/Tool.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import { called, labelOf, outcomeOf } from "../Tool/ToolMetrics.ts"
import type { AgentTask, LoopSettings, StepOutcome, SubtaskPort } from "./AgentLoop.ts"

/** What a tool step works with. */
export interface ToolStepContext<E> {
  readonly toolbox: Toolbox
  readonly settings: LoopSettings
  readonly task: AgentTask
  readonly record: (outcome: StepOutcome) => Effect.Effect<Run, E>
  readonly subtasks: SubtaskPort
  readonly tracing: Tracer
}

/** A call that has been run. */
export interface Finished {
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  readonly millis: number
  readonly outside: boolean
}

export const callTool = <E>(context: ToolStepContext<E>, call: ToolCall, outside: boolean): Effect.Effect<Finished> =>
  Effect.clockWith((clock) => {
    const before = clock.unsafeCurrentTimeMillis()
    const { id: taskId, userId } = context.task
    const { toolbox, tracing } = context
    const calling = toolbox.call(call, { taskId, userId, callId: call.id })
    const run = tracing.isOn ? tracing.traced(callOf(labelOf(call.name, toolbox)), calling) : calling
    return Effect.map(run, (outcome) => {
      const millis = Math.round(clock.unsafeCurrentTimeMillis() - before)
      called(call.name, toolbox, outcome, millis)
      return { call, outcome, millis, outside }
    })
  })

const callOf = (tool: string): SpanOf<ToolOutcome> => ({
  name: "tool call",
  facts: { tool },
  ended: (outcome) => ({ facts: { outcome: outcomeOf(outcome) } })
})

export const messageOf = (call: ToolCall, content: string): ToolMessage => ({
  role: "tool",
  tool_call_id: call.id,
  name: call.name,
  content
})
