import type { ToolCall } from "@troupe/domain/Message"
import type { AgentType, TaskType } from "@troupe/domain/Task"
import { Context, Effect, Layer, type Scope } from "effect"
import type { ToolSession } from "../ToolServer/ToolSession.ts"
import type { BoundTool } from "./ServerTools.ts"
import type { Tool } from "./Tool.ts"
import { makeToolbox, type Toolbox } from "./Toolbox.ts"

/** Whose toolbox it is: a parent agent's, or that of a subagent of some type. */
export interface ToolUser {
  readonly type: TaskType
  readonly agentType: AgentType | null
}

/** Tools that come and go: those of the tool servers. */
export interface ServerToolSource {
  /** The same array as long as nothing changed. */
  readonly tools: () => ReadonlyArray<BoundTool>
  readonly openSession: Effect.Effect<ToolSession, never, Scope.Scope>
  readonly settled: Effect.Effect<void>
  /** Why a tool of this name is not there, when its server is to blame; else null. */
  readonly absent: (name: string) => string | null
}

/** Opens the toolbox that a task's agent works with: the tools that its kind may use, and no others. */
export class Toolboxes extends Context.Tag("troupe/Tool/Toolboxes")<Toolboxes, {
  /** The tools in it may change while it is open. Those of tool servers are a subagent's own until the scope ends. */
  readonly open: (user: ToolUser) => Effect.Effect<Toolbox, never, Scope.Scope>
}>() {
  static readonly layer = (tools: ReadonlyArray<Tool>): Layer.Layer<Toolboxes> =>
    Layer.sync(this, () => Toolboxes.of(make(() => tools)))

  /** `toolsOf` is asked once for each kind of user. */
  static readonly make = (
    toolsOf: (type: TaskType) => ReadonlyArray<Tool>,
    servers?: ServerToolSource
  ): Toolboxes["Type"] => make(toolsOf, servers)
}

const make = (toolsOf: (type: TaskType) => ReadonlyArray<Tool>, servers?: ServerToolSource): Toolboxes["Type"] => {
  const boxes = new Map<string, Toolbox>()
  const shared = (user: ToolUser): Toolbox => {
    const key = [user.type, user.agentType].join(" ")
    const known = boxes.get(key)
    if (known !== undefined) return known
    const excluded = excludedFrom(user)
    const builtIns = toolsOf(user.type).filter(({ name }) => !excluded.has(name))
    const made = servers === undefined ? makeToolbox(builtIns) : changing(builtIns, servers, mayUse(user))
    boxes.set(key, made)
    return made
  }
  return {
    open: (user) =>
      Effect.gen(function*() {
        const box = shared(user)
        if (servers === undefined) return box
        yield* servers.settled
        return user.type === "task" ? box : withSession(box, yield* servers.openSession)
      })
  }
}

/** A box whose server tools are those of the moment; it stays as it is while they do. */
const changing = (
  builtIns: ReadonlyArray<Tool>,
  servers: ServerToolSource,
  mayUse: (tool: BoundTool) => boolean
): Toolbox => {
  let bound: ReadonlyArray<BoundTool> = []
  let box = makeToolbox(builtIns)
  const current = (): Toolbox => {
    const now = servers.tools()
    if (now === bound) return box
    bound = now
    box = makeToolbox([...builtIns, ...now.filter(mayUse).map(({ tool }) => tool)])
    return box
  }
  const isKnown = (toolCall: ToolCall) => current().tools.some(({ name }) => name === toolCall.name)
  return {
    get tools() {
      return current().tools
    },
    toolSet: (selection) => current().toolSet(selection),
    call: (toolCall, context) => {
      const absence = isKnown(toolCall) ? null : servers.absent(toolCall.name)
      return absence === null
        ? current().call(toolCall, context)
        : Effect.succeed({ _tag: "Answered", content: `Error: ${absence}` })
    },
    effectOf: (toolCall) => {
      // The server may be on its way up after a crash that cut the call off: what it would do is not known yet.
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

/** contract.md 14: subagents that only look get those tools of servers that only look. */
const mayUse = ({ agentType, type }: ToolUser) => ({ isReadOnly }: BoundTool): boolean =>
  isReadOnly || type === "task" || agentType !== "research"

const none: ReadonlySet<string> = new Set()

/** service.md, "Dispatching subagents"; contract.md 14: research sees only tools without side effects. */
const excluded: Readonly<Record<AgentType, ReadonlySet<string>>> = {
  general: new Set(["ask_human", "dispatch_subagent"]),
  research: new Set([
    "ask_human",
    "dispatch_subagent",
    "write_file",
    "send_email",
    "run_skill_script",
    "convert_markdown_to_docx",
    "memory_save"
  ]),
  "tool-specialist": new Set(["ask_human", "dispatch_subagent", "send_email"])
}

const excludedFrom = ({ agentType, type }: ToolUser): ReadonlySet<string> =>
  type === "task" ? none : excluded[agentType ?? "general"]
