import { Schema } from "effect"
import { TaskId, ToolCallId } from "./Ids.ts"
import type { Shown } from "./Shown.ts"
import { AgentType, minTokenBudget } from "./Task.ts"
import { cutLabel, type TaskEnd } from "./TaskEnd.ts"

export interface SubtaskRequest {
  readonly description: string
  readonly context: string | null
  readonly agentType: AgentType
  readonly maxIterations: number
  readonly tokenBudget: number | null
  readonly maxCost?: number | null
  /** Its agent, with its revision and the number of its file among the shared texts. */
  readonly agent?: { readonly name: string; readonly revision: string; readonly text: number } | null
}

/** `budget` is its share of the parent's token budget, if that has one, `maxCost` of its cost limit. */
export const DispatchedSubtask = Schema.Struct({
  call: ToolCallId,
  task: TaskId,
  agent: AgentType,
  /** The agent that it is, if it is one. */
  name: Schema.optional(Schema.String),
  budget: Schema.NullOr(Schema.Int),
  maxCost: Schema.optional(Schema.Finite)
})
export type DispatchedSubtask = typeof DispatchedSubtask.Type

export type SubtaskOutcome =
  | {
    readonly _tag: "Completed"
    readonly end: TaskEnd
    readonly text: string
    readonly files: ReadonlyArray<string>
  }
  | { readonly _tag: "Failed"; readonly error: string }

export interface EndedSubtask {
  readonly task: TaskId
  /** Null for a deleted subtask, whose usage is unknown. */
  readonly tokens: number | null
  readonly cost?: number | null
  readonly outcome: SubtaskOutcome
  /** What its result shows the parent. */
  readonly shown?: Shown
}

/** Splits a parent's budget: none gets more than it requested, those without a request share the rest evenly. */
export const shareBudget = (
  left: number | null,
  wanted: ReadonlyArray<number | null>
): ReadonlyArray<number | null> => {
  if (left === null) return wanted
  const shares: Array<number> = wanted.map(() => 0)
  // The smallest requests first, so that the others share what is left over.
  const order = wanted.map((wish, index) => ({ wish: wish ?? Number.POSITIVE_INFINITY, index }))
    .sort((one, other) => one.wish === other.wish ? one.index - other.index : one.wish - other.wish)
  let rest = Math.max(0, Math.floor(left))
  order.forEach(({ index, wish }, place) => {
    const share = Math.min(wish, Math.floor(rest / (order.length - place)))
    shares[index] = share
    rest -= share
  })
  return shares
}

/** The budgets of as many subtasks, from the first on, as can each get the minimum. */
export const affordableShares = (
  left: number | null,
  wanted: ReadonlyArray<number | null>
): ReadonlyArray<number | null> => {
  for (let count = wanted.length; count > 0; count--) {
    const shares = shareBudget(left, wanted.slice(0, count))
    if (shares.every((share) => share === null || share >= minTokenBudget)) return shares
  }
  return []
}

export const outcomeText = (agent: string, ended: EndedSubtask): string => {
  if (ended.outcome._tag === "Failed") {
    return `Error: the ${agent} subagent failed (task ${ended.task}): ${ended.outcome.error}`
  }
  const { end, files, text } = ended.outcome
  const how = cutLabel(end)?.replace("Stopped", "was stopped") ?? "is done"
  const named = files.length === 0 ? "" : `\n\nFiles that it marked for attachment: ${files.join(", ")}`
  return `The ${agent} subagent ${how} (task ${ended.task}).\n\n${text}${named}`
}
