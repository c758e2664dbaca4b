import { Duration, Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { CallFailed } from "../ToolServer/Connection.ts"
import type { ServerTool } from "../ToolServer/ServerTool.ts"
import { boundNames } from "../ToolServer/ToolNames.ts"
import type { ToolServers } from "../ToolServer/ToolServers.ts"
import { answerOf } from "./ServerResult.ts"
import { type Tool, type ToolContext, type ToolEffect, ToolFailed } from "./Tool.ts"

/** A server's tool as agents know it. */
export interface BoundTool {
  readonly tool: Tool
  /** The server says that it changes nothing: subagents that only look may have it. */
  readonly isReadOnly: boolean
}

/**
 * The tools of all servers under the names by which agents call them. The same tool is the same object, and the same
 * tools the same array, as long as nothing changes.
 */
export const makeServerTools = (
  servers: ToolServers["Type"],
  sandbox: Sandbox["Type"],
  builtIn: ReadonlySet<string>
): () => ReadonlyArray<BoundTool> => {
  let known: ReadonlyArray<ServerTool> = []
  let bound: ReadonlyArray<BoundTool> = []
  let byTool = new Map<string, BoundTool>()
  return () => {
    const current = servers.tools()
    if (current === known) return bound
    const next = new Map<string, BoundTool>()
    bound = [...boundNames(current, builtIn)].map(([name, tool]) => {
      const key = `${name} ${tool.digest}`
      const made = byTool.get(key) ?? bind(name, tool, servers, sandbox)
      next.set(key, made)
      return made
    })
    byTool = next
    known = current
    return bound
  }
}

/** Never reached: the server's own time-out comes first, and tells the server. */
const timeoutMillis = Duration.toMillis("75 minutes")

const bind = (name: string, tool: ServerTool, servers: ToolServers["Type"], sandbox: Sandbox["Type"]): BoundTool => {
  const effect: ToolEffect = tool.isReadOnly ? "read" : tool.isIdempotent ? "idempotent" : "outside"
  return {
    isReadOnly: tool.isReadOnly,
    tool: {
      name,
      description: tool.description === "" ? `${tool.name} of the tool server ${tool.server}` : tool.description,
      parameters: tool.parameters,
      effect: () => effect,
      timeoutMillis,
      run: (args, context) =>
        callerOf(servers, context)(tool, isArguments(args) ? args : {}).pipe(
          Effect.mapError((failure) => refusalOf(tool, failure, effect)),
          Effect.flatMap((result) => answerOf(result, sandbox, context)),
          Effect.map((content) => ({ _tag: "Answered" as const, content }))
        )
    }
  }
}

const callerOf = (servers: ToolServers["Type"], { session }: ToolContext) => session?.call ?? servers.call

const isArguments = (args: unknown): args is Readonly<Record<string, unknown>> =>
  typeof args === "object" && args !== null && !Array.isArray(args)

const refusalOf = ({ name, server }: ServerTool, { reason, what }: CallFailed, effect: ToolEffect): ToolFailed => {
  const doubt = what !== "refused" && effect === "outside"
    ? " It may have taken effect all the same: check before you repeat it."
    : ""
  const advice = what === "refused" ? "" : " Try again, or another way."
  return new ToolFailed({
    reason: `${name} of the tool server ${server} failed: ${reason.slice(0, 4_000)}.${doubt}${advice}`
  })
}
