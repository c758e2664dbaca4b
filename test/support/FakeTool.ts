import * as Tool from "@effect/ai/Tool"
import type { ToolClass } from "@troupe/domain/Policy"
import type { AgentType } from "@troupe/domain/Task"
import { type Duration, Effect, Schema } from "effect"
import type {
  AgentTool,
  ToolChanges,
  ToolContext,
  ToolEffect,
  ToolFailed,
  ToolOutcome
} from "../../src/Tool/AgentTool.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import type { SignIns } from "../../src/ToolServer/SignIns.ts"

/** A tool that does what the test says; it has no parameters. */
export const fakeTool = (
  name: string,
  run: Effect.Effect<ToolOutcome | string, ToolFailed>,
  options: {
    readonly description?: string
    readonly changes?: ToolChanges
    readonly class?: ToolClass
    readonly forSubagents?: ReadonlyArray<AgentType>
    readonly effect?: ToolEffect
    readonly timeout?: Duration.DurationInput
  } = {}
): AgentTool => {
  const { description = name, effect = "read", timeout = "1 hour", ...attributes } = options
  return implement(Tool.make(name, { description }), {
    changes: effect === "read" ? "nothing" : "outside",
    ...attributes,
    effect,
    timeout,
    run: () => run
  })
}

/** A tool that reads a text. */
export const textTool = (
  name: string,
  run: (text: string, context: ToolContext) => Effect.Effect<ToolOutcome | string, ToolFailed>,
  description: string = name
): AgentTool =>
  implement(Tool.make(name, { description, parameters: textParameter }), {
    changes: "nothing",
    timeout: "1 minute",
    run: ({ text }, context) => run(text, context)
  })

const textParameter = { text: Schema.String.annotations({ description: "Any text" }) }

/** Where results are posted, nobody from outside of the team reads them. */
export const withinTeam = { checkPost: () => Effect.succeed({ mayAsk: true, leaves: false }) }
/** Nobody signs in at a tool server. */
export const noSignIns: SignIns = {
  areDone: () => true,
  areMissing: () => Effect.succeed(false),
  arePerUser: () => false
}
