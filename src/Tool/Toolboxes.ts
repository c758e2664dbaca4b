import type { UserId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import type { AgentType, TaskType, ToolAccess } from "@troupe/domain/Task"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { memoized } from "../Runtime/Cache.ts"
import { boundNames, type ServerTool } from "../ToolServer/ServerTool.ts"
import type { ToolServers } from "../ToolServer/ToolServers.ts"
import type { ToolSession } from "../ToolServer/ToolSession.ts"
import type { AgentTool, ToolChanges } from "./AgentTool.ts"
import { agentTool } from "./ServerAgentTool.ts"
import { makeToolbox, type Toolbox } from "./Toolbox.ts"

/** Which tools an agent has; equal keys are equal rules. */
export interface ToolRule {
  readonly key: string
  readonly allows: (name: string) => boolean
}

export interface ToolUser {
  readonly type: TaskType
  readonly agentType: AgentType | null
  readonly toolAccess: ToolAccess
  /** For whom it works. */
  readonly creator: UserId
  readonly rule?: ToolRule
  /** The agents that subagents may be, a line each. */
  readonly agents?: string
}

interface ServerToolSource extends Pick<ToolServers["Type"], "absent" | "openSession" | "settled"> {
  /** The same array as long as nothing changed. Scripts that are tools keep their names. */
  readonly tools: (scripts: ReadonlyArray<AgentTool>) => ReadonlyArray<AgentTool>
}

/** Opens a toolbox with the tools that the type of agent may use. */
export class Toolboxes extends Context.Tag("troupe/Tool/Toolboxes")<Toolboxes, {
  /** The tools in it may change while it is open. A subagent's connections to tool servers end with the scope. */
  readonly open: (user: ToolUser) => Effect.Effect<Toolbox, never, Scope.Scope>
}>() {
  static readonly layer = (tools: ReadonlyArray<AgentTool>): Layer.Layer<Toolboxes> =>
    Layer.sync(this, () => Toolboxes.make(() => tools))

  static readonly make = (
    toolsOf: (user: ToolUser) => ReadonlyArray<AgentTool>,
    servers: ServerToolSource = noServers,
    /** The scripts that are tools; the same array as long as nothing changed. */
    scriptsOf: (user: ToolUser) => ReadonlyArray<AgentTool> = () => noTools
  ): Toolboxes["Type"] => {
    const boxes = new Map<string, Toolbox>()
    const shared = (user: ToolUser): Toolbox => {
      const { agents = "", agentType, rule, toolAccess, type } = user
      const key = [type, agentType, toolAccess, rule?.key, agents].join("\n")
      const known = boxes.get(key)
      if (known !== undefined) return known
      const isAllowed = mayUse(user)
      const made = withListedTools(toolsOf(user).filter(isAllowed), {
        scripts: () => scriptsOf(user),
        servers: user.toolAccess === "all" ? servers : noServers,
        isAllowed,
        ...rule === undefined ? {} : { allows: rule.allows }
      })
      boxes.set(key, made)
      const oldest = boxes.keys().next().value
      if (boxes.size > maxBoxes && oldest !== undefined) boxes.delete(oldest)
      return made
    }
    return {
      open: (user) => {
        const box = shared(user)
        if (servers === noServers || user.toolAccess !== "all") return Effect.succeed(box)
        return user.type === "task"
          ? Effect.as(servers.settled, box)
          : Effect.zipWith(
            servers.settled,
            servers.openSession(user.creator),
            (_, session) => withSession(box, session)
          )
      }
    }
  }
}

/** Revisions of agents come and go; each has toolboxes of its own. */
const maxBoxes = 200

const noTools: ReadonlyArray<AgentTool> = []

const noServers: ServerToolSource = {
  tools: () => noTools,
  absent: () => null,
  openSession: () => Effect.dieMessage("There are no tool servers"),
  settled: Effect.void
}

/** The built-in tools with those that come and go: scripts of skills, and tools of servers. */
const withListedTools = (
  builtIns: ReadonlyArray<AgentTool>,
  { allows = () => true, isAllowed, scripts, servers }: {
    readonly scripts: () => ReadonlyArray<AgentTool>
    readonly servers: ServerToolSource
    readonly isAllowed: (tool: AgentTool) => boolean
    readonly allows?: (name: string) => boolean
  }
): Toolbox => {
  const boxOf = memoized((ofScripts: ReadonlyArray<AgentTool>) =>
    memoized((ofServers: ReadonlyArray<AgentTool>) =>
      makeToolbox([...builtIns, ...[...ofScripts, ...ofServers].filter(isAllowed)])
    )
  )
  const current = () => {
    const listed = scripts()
    return boxOf(listed)(servers.tools(listed))
  }
  const isKnown = (toolCall: ToolCall) => current().tools.some(({ name }) => name === toolCall.name)
  return {
    get tools() {
      return current().tools
    },
    find: (name) => current().find(name),
    toolSet: (selection) => current().toolSet(selection),
    call: (toolCall, context) => {
      const reason = isKnown(toolCall) || !allows(toolCall.name) ? null : servers.absent(toolCall.name)
      return reason === null
        ? current().call(toolCall, context)
        : Effect.succeed({ _tag: "Answered", content: `Error: ${reason}` })
    },
    effectOf: (toolCall) => {
      // The call may come from before a crash, and its server may still be starting: its effect is not known yet.
      return servers !== noServers && !isKnown(toolCall) && toolCall.name.includes("__") && allows(toolCall.name)
        ? "outside"
        : current().effectOf(toolCall)
    }
  }
}

const withSession = (box: Toolbox, session: ToolSession): Toolbox => ({
  get tools() {
    return box.tools
  },
  find: box.find,
  toolSet: box.toolSet,
  call: (toolCall, context) => box.call(toolCall, { ...context, session }),
  effectOf: box.effectOf
})

const allowed: Readonly<Record<ToolAccess, ReadonlyArray<ToolChanges>>> = {
  all: ["nothing", "own", "outside"],
  own: ["nothing", "own"],
  read: ["nothing"]
}

const mayUse =
  ({ agentType, rule, toolAccess, type }: ToolUser) => ({ changes, forSubagents, name }: AgentTool): boolean =>
    (rule?.allows(name) ?? true) &&
    allowed[toolAccess].includes(changes) &&
    (type === "task" || (forSubagents?.includes(agentType ?? "general") ?? true))

/** The tools of all servers. They yield their names to built-in tools and scripts. */
export const serverToolSource = (
  servers: ToolServers["Type"],
  sandbox: Sandbox["Type"],
  builtIn: ReadonlySet<string>
): ServerToolSource => {
  const { absent, openSession, settled } = servers
  const toolsOf = memoized((scripts: ReadonlyArray<AgentTool>) => {
    const taken = new Set([...builtIn, ...scripts.map(({ name }) => name)])
    return memoized((listed: ReadonlyArray<ServerTool>) =>
      Array.from(boundNames(listed, taken), ([name, tool]) => agentTool(name, tool, servers, sandbox))
    )
  })
  return { tools: (scripts) => toolsOf(scripts)(servers.tools()), absent, openSession, settled }
}
