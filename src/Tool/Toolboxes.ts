import type { ToolCall } from "@troupe/domain/Message"
import type { AgentType, TaskType, ToolAccess } from "@troupe/domain/Task"
import { Context, Effect, Layer, type Scope } from "effect"
import type { ToolSession } from "../ToolServer/ToolSession.ts"
import type { AgentTool } from "./AgentTool.ts"
import { makeToolbox, type Toolbox } from "./Toolbox.ts"

export interface ToolUser {
  readonly type: TaskType
  readonly agentType: AgentType | null
  readonly toolAccess: ToolAccess
}

export interface ServerToolSource {
  /** The same array as long as nothing changed. */
  readonly tools: () => ReadonlyArray<AgentTool>
  readonly openSession: Effect.Effect<ToolSession, never, Scope.Scope>
  readonly settled: Effect.Effect<void>
  /** Why a tool of this name is missing, when its server is the reason; else null. */
  readonly absent: (name: string) => string | null
}

/** Opens a toolbox with the tools that the type of agent may use. */
export class Toolboxes extends Context.Tag("troupe/Tool/Toolboxes")<Toolboxes, {
  /** The tools in it may change while it is open. A subagent's connections to tool servers end with the scope. */
  readonly open: (user: ToolUser) => Effect.Effect<Toolbox, never, Scope.Scope>
}>() {
  static readonly layer = (tools: ReadonlyArray<AgentTool>): Layer.Layer<Toolboxes> =>
    Layer.sync(this, () => Toolboxes.make(() => tools))

  static readonly make = (
    toolsOf: (type: TaskType) => ReadonlyArray<AgentTool>,
    servers?: ServerToolSource
  ): Toolboxes["Type"] => {
    const boxes = new Map<string, Toolbox>()
    const shared = (user: ToolUser): Toolbox => {
      const key = `${user.type} ${user.agentType} ${user.toolAccess}`
      const known = boxes.get(key)
      if (known !== undefined) return known
      const builtIns = toolsOf(user.type).filter(mayUse(user))
      const made = servers === undefined || user.toolAccess !== "all"
        ? makeToolbox(builtIns)
        : withServerTools(builtIns, servers, mayUse(user))
      boxes.set(key, made)
      return made
    }
    return {
      open: Effect.fnUntraced(function*(user) {
        const box = shared(user)
        if (servers === undefined || user.toolAccess !== "all") return box
        yield* servers.settled
        return user.type === "task" ? box : withSession(box, yield* servers.openSession)
      })
    }
  }
}

const withServerTools = (
  builtIns: ReadonlyArray<AgentTool>,
  servers: ServerToolSource,
  allowed: (tool: AgentTool) => boolean
): Toolbox => {
  let serverTools: ReadonlyArray<AgentTool> = []
  let box = makeToolbox(builtIns)
  const current = (): Toolbox => {
    const now = servers.tools()
    if (now === serverTools) return box
    serverTools = now
    box = makeToolbox([...builtIns, ...now.filter(allowed)])
    return box
  }
  const isKnown = (toolCall: ToolCall) => current().tools.some(({ name }) => name === toolCall.name)
  return {
    get tools() {
      return current().tools
    },
    toolSet: (selection) => current().toolSet(selection),
    call: (toolCall, context) => {
      const reason = isKnown(toolCall) ? null : servers.absent(toolCall.name)
      return reason === null
        ? current().call(toolCall, context)
        : Effect.succeed({ _tag: "Answered", content: `Error: ${reason}` })
    },
    effectOf: (toolCall) => {
      // The call may come from before a crash, and its server may still be starting: its effect is not known yet.
      return !isKnown(toolCall) && toolCall.name.includes("__") ? "outside" : current().effectOf(toolCall)
    }
  }
}

const withSession = (box: Toolbox, session: ToolSession): Toolbox => ({
  get tools() {
    return box.tools
  },
  toolSet: box.toolSet,
  call: (toolCall, context) => box.call(toolCall, { ...context, session }),
  effectOf: box.effectOf
})

const excluded: Readonly<Record<AgentType, ReadonlyArray<string>>> = {
  general: ["ask_human", "dispatch_subagent"],
  research: ["ask_human", "dispatch_subagent"],
  "tool-specialist": ["ask_human", "dispatch_subagent", "send_email"]
}

/** Tools whose effects stay in the user's own files and memories. */
const changingOwn: ReadonlyArray<string> = ["convert_markdown_to_docx", "memory_save", "write_file"]

/** What a stranger asks for reaches nothing outside, and has no subagents, whose tools are others. */
const isHarmless = (toolAccess: ToolAccess, { isReadOnly, name }: AgentTool): boolean =>
  name !== "dispatch_subagent" && (isReadOnly || (toolAccess === "own" && changingOwn.includes(name)))

/** Research subagents have only tools without side effects, tools of tool servers included. */
const mayUse = ({ agentType, toolAccess, type }: ToolUser) => (tool: AgentTool): boolean =>
  (toolAccess === "all" || isHarmless(toolAccess, tool)) && (type === "task" || (
    !excluded[agentType ?? "general"].includes(tool.name) && (agentType !== "research" || tool.isReadOnly)
  ))
