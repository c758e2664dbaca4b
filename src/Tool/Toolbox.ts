import type { ToolCall } from "@troupe/domain/Message"
import { shortened, truncatedResult } from "@troupe/domain/Text"
import { Cause, Duration, Effect, Either, Option, Predicate, Schema } from "effect"
import type { ToolDefinition, ToolSet } from "../Model/Model.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { timeLimit } from "../Runtime/HotPath.ts"
import { depthExceeds } from "../Runtime/JsonDepth.ts"
import { suggestion } from "../Runtime/NearNames.ts"
import { type AgentTool, doubt, type ToolContext, type ToolEffect, type ToolOutcome } from "./AgentTool.ts"

export interface Toolbox {
  readonly tools: ReadonlyArray<AgentTool>
  readonly find: (name: string) => AgentTool | undefined
  /** All tools, or the tools of these names. Equal sets are the same object. */
  readonly toolSet: (names?: ReadonlyArray<string>) => ToolSet
  /**
   * Never fails: unknown tools, invalid arguments, failures, time-outs and defects are answers that begin with
   * `Error:`.
   */
  readonly call: (toolCall: ToolCall, context: ToolContext) => Effect.Effect<ToolOutcome>
  /** What the call would do; `read` for one that would not run. */
  readonly effectOf: (toolCall: ToolCall) => ToolEffect
}

/** The first of two tools with the same name is used. */
export const makeToolbox = (given: ReadonlyArray<AgentTool>): Toolbox => {
  const byName = new Map<string, AgentTool>()
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

  return { tools, find: (name) => byName.get(name), toolSet: makeToolSets(tools), call, effectOf }
}

const run = (tool: AgentTool, args: unknown, context: ToolContext): Effect.Effect<ToolOutcome> =>
  timeLimit(
    Effect.suspend(() => tool.run(args, context)),
    tool.timeoutMillis,
    () => failed(timedOut(tool, args))
  ).pipe(
    Effect.matchCauseEffect({
      onSuccess: (outcome) => Effect.succeed(fitting(outcome)),
      // Also reached by a tool that interrupted itself, but not by an interruption of the call.
      onFailure: (cause) =>
        Option.match(Cause.failureOption(cause), {
          onNone: () => Effect.as(logged(tool, context, cause), failed(broken(tool, args))),
          onSome: ({ reason }) => Effect.succeed(fitting(failed(reason)))
        })
    })
  )

const maxQuestion = 40_000

/** What the model reads is cut to spare its context; people read the whole of a question. */
const fitting = (outcome: ToolOutcome): ToolOutcome => {
  const content = storable(outcome.content)
  return { ...outcome, content: outcome._tag === "Asked" ? shortened(content, maxQuestion) : truncatedResult(content) }
}

const failed = (reason: string): ToolOutcome => ({ _tag: "Answered", content: `Error: ${reason}` })

const unknownTool = (name: string, tools: ReadonlyArray<AgentTool>): string => {
  const names = tools.map((tool) => tool.name)
  const known = suggestion(name, names, `The tools are: ${names.join(", ")}.`)
  return truncatedResult(`there is no tool ${JSON.stringify(name.slice(0, 100))}. ${known}`)
}

const timedOut = (tool: AgentTool, args: unknown): string =>
  `${tool.name} took longer than ${Duration.format(tool.timeoutMillis)} and was stopped.${doubt(tool.effect(args))} `
  + "Try a smaller piece of work."

const broken = (tool: AgentTool, args: unknown): string =>
  `${tool.name} failed because of a fault inside the service.${doubt(tool.effect(args))} Try another way.`

const logged = (tool: AgentTool, context: ToolContext, cause: Cause.Cause<unknown>) =>
  Effect.logError("Tool call failed with a defect; the model gets an error", cause).pipe(
    Effect.annotateLogs({ tool: tool.name, task_id: context.taskId, call_id: context.callId })
  )

const maxSets = 256

const makeToolSets = (tools: ReadonlyArray<AgentTool>): Toolbox["toolSet"] => {
  const definitions = new Map(tools.map((tool) => [tool.name, definitionOf(tool)]))
  const sets = new Map<string, ToolSet>()
  return (names) => {
    const selected = names === undefined ? undefined : new Set(names)
    const chosen = [...definitions.keys()].filter((name) => selected?.has(name) ?? true)
    const key = chosen.join("\n")
    const known = sets.get(key)
    if (known !== undefined) return known
    const made = { tools: chosen.flatMap((name) => definitions.get(name) ?? []) }
    const oldest = sets.keys().next().value
    if (sets.size >= maxSets && oldest !== undefined) sets.delete(oldest)
    sets.set(key, made)
    return made
  }
}

const definitionOf = ({ description, name, parameters }: AgentTool): ToolDefinition => ({
  name,
  description,
  parameters
})

const maxArgumentsLength = 1_048_576

/** Maximum nesting of arguments; deeper ones would exhaust the stack of code that walks them. */
const maxArgumentsDepth = 64

const parseJson = Schema.decodeUnknownEither(Schema.parseJson())

/** The parsed arguments of a call, or why they are invalid. An empty text and `null` count as `{}`. */
export const parseArguments = (text: string): Either.Either<Readonly<Record<string, unknown>>, string> => {
  if (text.length > maxArgumentsLength) {
    return Either.left(
      `the arguments have ${text.length} characters; at most ${maxArgumentsLength} are taken. Do it in smaller parts.`
    )
  }
  if (text.trim() === "") return Either.right({})
  return parseJson(text).pipe(
    Either.mapLeft(() => "the arguments are not valid JSON. Give one JSON object."),
    Either.flatMap((parsed) => {
      if (parsed === null) return Either.right({})
      if (depthExceeds(text, maxArgumentsDepth)) {
        return Either.left(
          `the arguments are nested deeper than the ${maxArgumentsDepth} levels that JSON may have here.`
        )
      }
      return Predicate.isReadonlyRecord(parsed)
        ? Either.right(parsed)
        : Either.left("the arguments must be one JSON object.")
    })
  )
}
