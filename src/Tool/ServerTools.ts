import { Duration, Effect, Predicate } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { CallFailed } from "../ToolServer/CallFailed.ts"
import type { ServerTool } from "../ToolServer/ServerTool.ts"
import { boundNames } from "../ToolServer/ToolNames.ts"
import type { ToolServers } from "../ToolServer/ToolServers.ts"
import { type AgentTool, type ToolContext, type ToolEffect, ToolFailed } from "./AgentTool.ts"
import { answerOf } from "./ServerResult.ts"
import { doubt, effectOf } from "./ToolHints.ts"

/** The tools of all servers. A tool, and the array of all, is the same object as long as nothing changes. */
export const makeServerTools = (
  servers: ToolServers["Type"],
  sandbox: Sandbox["Type"],
  builtIn: ReadonlySet<string>
): () => ReadonlyArray<AgentTool> => {
  let listed: ReadonlyArray<ServerTool> = []
  let tools: ReadonlyArray<AgentTool> = []
  let byDigest = new Map<string, AgentTool>()
  return () => {
    const current = servers.tools()
    if (current === listed) return tools
    const next = new Map<string, AgentTool>()
    tools = [...boundNames(current, builtIn)].map(([name, tool]) => {
      const key = `${name} ${tool.digest}`
      const made = byDigest.get(key) ?? agentTool(name, tool, servers, sandbox)
      next.set(key, made)
      return made
    })
    byDigest = next
    listed = current
    return tools
  }
}

/** Never reached: the server's own time-out comes first, and the server is notified. */
const timeoutMillis = Duration.toMillis("75 minutes")

const agentTool = (
  name: string,
  tool: ServerTool,
  servers: ToolServers["Type"],
  sandbox: Sandbox["Type"]
): AgentTool => {
  const effect = effectOf(tool)
  return {
    name,
    description: tool.description === "" ? `${tool.name} of the tool server ${tool.server}` : tool.description,
    parameters: tool.parameters,
    isReadOnly: tool.isReadOnly,
    effect: () => effect,
    timeoutMillis,
    run: (args, context) =>
      callerOf(servers, context)(tool, Predicate.isReadonlyRecord(args) ? args : {}).pipe(
        Effect.mapError((failure) => failureOf(tool, failure, effect)),
        Effect.flatMap((result) => answerOf(result, sandbox, context)),
        Effect.map((content) => ({ _tag: "Answered", content }))
      )
  }
}

const callerOf = (servers: ToolServers["Type"], { session }: ToolContext) => session?.call ?? servers.call

const failureOf = ({ name, server }: ServerTool, { reason, what }: CallFailed, effect: ToolEffect): ToolFailed => {
  const advice = what === "refused" ? "" : `${doubt(effect)} Try again, or another way.`
  return new ToolFailed({
    reason: `${name} of the tool server ${server} failed: ${reason.slice(0, 4_000)}.${advice}`
  })
}
