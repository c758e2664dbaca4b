import * as Tool from "@effect/ai/Tool"
import { minTokenBudget, subagentLimits } from "@troupe/domain/Limits"
import { AgentType } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import type { AgentTool, ToolOutcome } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

const maxText = 100_000

const defaultIterations = 10

const parametersUpTo = (hardLimit: number) => ({
  task_description: Schema.NonEmptyString.pipe(Schema.maxLength(maxText)).annotations({
    description: "What the subagent is to do, complete in itself: it does not see this conversation"
  }),
  context: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(maxText)).annotations({
      description: "What it needs to know of what was found so far. Default: empty"
    }),
    { default: () => "" }
  ),
  agent_type: Schema.optionalWith(
    AgentType.annotations({
      description: "general; research (reads only: no files are written, no mail is sent); tool-specialist (chained "
        + "calls of tools). Default: general"
    }),
    { default: () => "general" as const }
  ),
  max_iterations: Schema.optionalWith(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1)).annotations({
      description: `Maximum number of its model calls, at least 1; more than ${hardLimit} counts as ${hardLimit}. `
        + `Default: ${Math.min(defaultIterations, hardLimit)}`
    }),
    { default: () => defaultIterations }
  ),
  token_budget: Schema.optional(
    Schema.Int.pipe(Schema.between(minTokenBudget, 1_000_000_000)).annotations({
      description: `How many tokens it may use, at least ${minTokenBudget}; below 15000 it can hardly use tools. `
        + "Default: no limit of its own"
    })
  )
})

const DispatchSubagent = (hardLimit: number) =>
  Tool.make("dispatch_subagent", {
    description:
      "Give a part of the work to a subagent that works on its own; its result is the result of this call. Call it "
      + "several times in one turn for parts that do not depend on each other: they run at the same time, and the task "
      + "goes on when all have ended. A subagent can't ask a human and can't dispatch further subagents.",
    parameters: parametersUpTo(hardLimit)
  }).annotateContext(readOnly)

/** The loop creates the subtask in the commit that journals the call, so it is created once. */
export const dispatchSubagentUpTo = (hardLimit: number): AgentTool =>
  implement(DispatchSubagent(hardLimit), {
    timeout: "10 seconds",
    run: ({ agent_type, context, max_iterations, task_description, token_budget }) =>
      Effect.succeed<ToolOutcome>({
        _tag: "Dispatched",
        content: "",
        request: {
          description: task_description,
          context: context.trim() === "" ? null : context,
          agentType: agent_type,
          maxIterations: Math.min(max_iterations, hardLimit),
          tokenBudget: token_budget ?? null
        }
      })
  })

/** The tool with the default limits. */
export const dispatchSubagent: AgentTool = dispatchSubagentUpTo(subagentLimits.hard)
