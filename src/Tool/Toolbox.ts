import type { ToolCall } from "@troupe/domain/Message"
import { truncate } from "@troupe/domain/ToolResult"
import { Cause, Duration, Effect, Either, Option } from "effect"
import type { ToolDefinition, ToolSet } from "../Model/Model.ts"
import { storable } from "../Runtime/StorableText.ts"
import { timeLimit } from "../Runtime/TimeLimit.ts"
import { nearNames } from "./NearNames.ts"
import type { Tool, ToolContext, ToolEffect, ToolOutcome } from "./Tool.ts"
import { parseArguments } from "./ToolArguments.ts"

/** Which tools a set holds: those of these names, or those that pass. */
export type ToolSelection = ReadonlyArray<string> | ((tool: Tool) => boolean)

/** Some tools, and the one way to call them. */
export interface Toolbox {
  readonly tools: ReadonlyArray<Tool>
  /** All tools or those selected, in the registry's order. The same tools are always the same set, by identity. */
  readonly toolSet: (selection?: ToolSelection) => ToolSet
  /**
   * Runs a call and never fails: an unknown tool, arguments that don't fit, a failure, a time-out and a defect are
   * answers that begin with `Error:`. What is too long for a model is cut. Interrupting it interrupts the tool.
   */
  readonly call: (toolCall: ToolCall, context: ToolContext) => Effect.Effect<ToolOutcome>
  /** What the call would do; `read` for one that would not run. */
  readonly effectOf: (toolCall: ToolCall) => ToolEffect
}

/** Of two tools of one name the first counts. */
export const makeToolbox = (given: ReadonlyArray<Tool>): Toolbox => {
  const byName = new Map<string, Tool>()
  for (const tool of given) if (!byName.has(tool.name)) byName.set(tool.name, tool)
  const tools = [...byName.values()]

  const call = (toolCall: ToolCall, context: ToolContext): Effect.Effect<ToolOutcome> =>
    Effect.suspend(() => {
      const tool = byName.get(toolCall.name)
      if (tool === undefined) return Effect.succeed(failed(unknownTool(toolCall.name, tools)))
      const args = parseArguments(toolCall.arguments)
      return Either.isLeft(args)
        ? Effect.succeed(failed(`${tool.name}: ${args.left}`))
        : run(tool, args.right, context)
    })

  const effectOf = (toolCall: ToolCall): ToolEffect => {
    const tool = byName.get(toolCall.name)
    if (tool === undefined) return "read"
    return Either.match(parseArguments(toolCall.arguments), { onLeft: () => "read", onRight: tool.effect })
  }

  return { tools, toolSet: makeToolSets(tools), call, effectOf }
}

const run = (tool: Tool, args: unknown, context: ToolContext): Effect.Effect<ToolOutcome> =>
  timeLimit(
    Effect.suspend(() => tool.run(args, context)),
    tool.timeoutMillis,
    () => failed(timedOut(tool, args))
  ).pipe(
    Effect.matchCauseEffect({
      onSuccess: (outcome) => Effect.succeed(fitting(outcome)),
      // Reached by a tool that interrupted itself too, but not by an interruption of the call: that one ends here.
      onFailure: (cause) =>
        Option.match(Cause.failureOption(cause), {
          onNone: () => Effect.as(logged(tool, context, cause), failed(broken(tool, args))),
          onSome: ({ reason }) => Effect.succeed(fitting(failed(reason)))
        })
    })
  )

const fitting = (outcome: ToolOutcome): ToolOutcome => ({ ...outcome, content: truncate(storable(outcome.content)) })

const failed = (reason: string): ToolOutcome => ({ _tag: "Answered", content: `Error: ${reason}` })

const unknownTool = (name: string, tools: ReadonlyArray<Tool>): string => {
  const names = tools.map((tool) => tool.name)
  const near = nearNames(name, names)
  const known = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The tools are: ${names.join(", ")}.`
  return truncate(`there is no tool ${JSON.stringify(name.slice(0, 100))}. ${known}`)
}

const timedOut = (tool: Tool, args: unknown): string =>
  `${tool.name} took longer than ${Duration.format(tool.timeoutMillis)} and was stopped.${doubt(tool, args)} `
  + "Try a smaller piece of work."

const broken = (tool: Tool, args: unknown): string =>
  `${tool.name} failed because of a fault inside the service.${doubt(tool, args)} Try another way.`

const doubt = (tool: Tool, args: unknown): string =>
  tool.effect(args) === "outside" ? " It may have taken effect all the same: check before you repeat it." : ""

const logged = (tool: Tool, context: ToolContext, cause: Cause.Cause<unknown>) =>
  Effect.logError("A tool call died", cause).pipe(
    Effect.annotateLogs({ tool: tool.name, task_id: context.taskId, call_id: context.callId })
  )

const maxSets = 256

const makeToolSets = (tools: ReadonlyArray<Tool>): Toolbox["toolSet"] => {
  const definitions = new Map(tools.map((tool) => [tool, definitionOf(tool)]))
  const sets = new Map<string, ToolSet>()
  return (selection) => {
    const chosen = selection === undefined ? tools : tools.filter(passes(selection))
    const key = chosen.map((tool) => tool.name).join("\n")
    const known = sets.get(key)
    if (known !== undefined) return known
    const made = { tools: chosen.flatMap((tool) => definitions.get(tool) ?? []) }
    const oldest = sets.keys().next().value
    if (sets.size >= maxSets && oldest !== undefined) sets.delete(oldest)
    sets.set(key, made)
    return made
  }
}

const passes = (selection: ToolSelection): (tool: Tool) => boolean => {
  if (typeof selection === "function") return selection
  const names = new Set(selection)
  return (tool) => names.has(tool.name)
}

const definitionOf = ({ description, name, parameters }: Tool): ToolDefinition => ({ name, description, parameters })
