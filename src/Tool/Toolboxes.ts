import type { AgentType, TaskType } from "@troupe/domain/Task"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Tool } from "./Tool.ts"
import { makeToolbox, type Toolbox } from "./Toolbox.ts"

/** Whose toolbox it is: a parent agent's, or that of a subagent of some type. */
export interface ToolUser {
  readonly type: TaskType
  readonly agentType: AgentType | null
}

/** Opens the toolbox that a task's agent works with: the tools that its kind may use, and no others. */
export class Toolboxes extends Context.Tag("troupe/Tool/Toolboxes")<Toolboxes, {
  readonly open: (user: ToolUser) => Effect.Effect<Toolbox, never, Scope.Scope>
}>() {
  static readonly layer = (tools: ReadonlyArray<Tool>): Layer.Layer<Toolboxes> =>
    Layer.sync(this, () => Toolboxes.of(make(tools)))

  static readonly make = (tools: ReadonlyArray<Tool>): Toolboxes["Type"] => make(tools)
}

const make = (tools: ReadonlyArray<Tool>): Toolboxes["Type"] => {
  const boxes = new Map<string, Toolbox>()
  return {
    open: (user) =>
      Effect.sync(() => {
        const excluded = excludedFrom(user)
        const key = [...excluded].join(" ")
        const known = boxes.get(key)
        if (known !== undefined) return known
        const made = makeToolbox(tools.filter(({ name }) => !excluded.has(name)))
        boxes.set(key, made)
        return made
      })
  }
}

const none: ReadonlySet<string> = new Set()

/** service.md, "Dispatching subagents". */
const excluded: Readonly<Record<AgentType, ReadonlySet<string>>> = {
  general: new Set(["ask_human", "dispatch_subagent"]),
  research: new Set(["ask_human", "dispatch_subagent", "write_file", "send_email"]),
  "tool-specialist": new Set(["ask_human", "dispatch_subagent", "send_email"])
}

const excludedFrom = ({ agentType, type }: ToolUser): ReadonlySet<string> =>
  type === "task" ? none : excluded[agentType ?? "general"]
