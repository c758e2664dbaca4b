import type { ToolClass } from "@troupe/domain/Policy"
import { Duration, Effect, Either, Predicate } from "effect"
import type { ToolDefinition } from "../Model/Model.ts"
import { memoized } from "../Runtime/Cache.ts"
import { argumentsCheckOf } from "../Skill/ArgumentsCheck.ts"
import type { ScriptTool } from "../Skill/ScriptTool.ts"
import type { Skills } from "../Skill/Skills.ts"
import { makeLastOutput } from "../ToolServer/LastOutput.ts"
import { boundNames } from "../ToolServer/ServerTool.ts"
import { repairedSchema } from "../ToolServer/ToolSchema.ts"
import { type AgentTool, type ToolChanges, ToolFailed } from "./AgentTool.ts"
import {
  type CallTime,
  lossesOf,
  makeScriptCalls,
  overfilled,
  type ScriptCall,
  type ScriptServices,
  usualSecondsOf,
  whyFailed
} from "./ScriptCalls.ts"

/** The scripts that skills list as tools, by the names under which agents call them. */
export const scriptTools = (
  { callTime, skills, ...services }: ScriptServices & { readonly callTime: CallTime; readonly skills: Skills["Type"] }
): () => ReadonlyArray<AgentTool> => {
  const call = makeScriptCalls(services)
  const seconds = usualSecondsOf(callTime.maxSeconds)
  const timeoutMillis = Duration.toMillis(callTime.timeout)

  const bound = memoized((tools: ReadonlyArray<ScriptTool>) => boundScripts(tools).map(agentTool))

  const agentTool = ({ name, parameters, tool }: BoundScript): AgentTool => {
    const check = argumentsCheckOf(tool.parameters)
    const checked = (args: unknown) =>
      Either.flatMap(check, (fits) => fits(Predicate.isReadonlyRecord(args) ? args : {}))
    return {
      name,
      description: tool.description,
      parameters,
      changes: changesOf[tool.class],
      class: tool.class,
      shows: { outside: "the output of a script", private: true },
      effect: (args) => tool.class === "read" || Either.isLeft(checked(args)) ? "read" : "outside",
      timeoutMillis,
      run: (args, { userId }) =>
        Effect.gen(function*() {
          const input = yield* Either.mapLeft(
            checked(args),
            (why) => new ToolFailed({ reason: `the arguments don't fit: ${why}.` })
          )
          const skill = yield* Effect.mapError(skills.find(tool.skill), ({ message }) =>
            new ToolFailed({ reason: `${message} Do without its tool.` }))
          const ended = yield* call({
            skill,
            script: tool.script,
            args: [],
            input: JSON.stringify(input),
            userId,
            seconds
          })
          return { _tag: "Answered", content: yield* resultOf(name, ended, seconds) }
        })
    }
  }

  return () => bound(skills.scriptTools())
}

interface BoundScript extends ToolDefinition {
  readonly tool: ScriptTool
}

/** The tools as models see them, `<skill>__<name>`. */
export const boundScripts = (tools: ReadonlyArray<ScriptTool>): ReadonlyArray<BoundScript> =>
  Array.from(boundNames(tools.map((tool) => ({ server: tool.skill, name: tool.name, tool }))), ([name, { tool }]) => ({
    name,
    description: tool.description,
    parameters: repairedSchema(tool.parameters),
    tool
  }))

const changesOf: Readonly<Record<ToolClass, ToolChanges>> = {
  read: "nothing",
  own: "own",
  outside: "outside",
  destructive: "outside"
}

/** What the script wrote to its standard output, or why it failed with the end of its error output. */
const resultOf = (
  name: string,
  { deleted, ended, limits }: ScriptCall,
  seconds: number
): Either.Either<string, ToolFailed> => {
  const why = whyFailed(ended, seconds, limits) ?? overfilled(deleted, limits)
  if (why === null) return Either.right(ended.output.trimEnd() || "[It printed nothing.]")
  const last = makeLastOutput((text) => text)
  for (const line of ended.errors.split("\n")) last.error(line)
  for (const line of ended.output.split("\n")) last.other(line)
  return Either.left(new ToolFailed({ reason: `${name} ${why}\n${last.text()}${lossesOf(deleted)}` }))
}
