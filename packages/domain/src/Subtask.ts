import { Schema } from "effect"
import { TaskId, ToolCallId } from "./Ids.ts"
import { minTokenBudget } from "./Limits.ts"
import { AgentType } from "./Task.ts"

/** What a call of dispatch_subagent asks for (contract.md 14). */
export interface SubtaskRequest {
  readonly description: string
  readonly context: string | null
  readonly agentType: AgentType
  readonly maxIterations: number
  readonly tokenBudget: number | null
}

/** A subtask as the journal of its parent names it. `budget` is what it may spend of its parent's, if that has one. */
export const DispatchedSubtask = Schema.Struct({
  call: ToolCallId,
  task: TaskId,
  agent: AgentType,
  budget: Schema.NullOr(Schema.Int)
})
export type DispatchedSubtask = typeof DispatchedSubtask.Type

/** How a subtask ended. */
export type SubtaskOutcome =
  | { readonly _tag: "Completed"; readonly text: string; readonly files: ReadonlyArray<string> }
  | { readonly _tag: "Failed"; readonly error: string }

/** A subtask that ended, and what it used. */
export interface EndedSubtask {
  readonly task: TaskId
  /** Null when it was deleted: nobody knows any more what it used. */
  readonly tokens: number | null
  readonly outcome: SubtaskOutcome
}

/**
 * Splits what a parent has left among the subtasks of a turn: none gets more than it asked for, those that ask for
 * nothing share the rest evenly, and all together never get more than there is. Without a limit each gets what it asked for.
 */
export const shareBudget = (
  left: number | null,
  wanted: ReadonlyArray<number | null>
): ReadonlyArray<number | null> => {
  if (left === null) return wanted
  const shares: Array<number> = wanted.map(() => 0)
  // The smallest wishes first, so that what one does not need is there for the others.
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

/**
 * The budgets of the subtasks that a parent can pay for, in their order: as many of the first as
 * get at least what a subtask needs. The others have no entry.
 */
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

/** What the parent reads as the result of the call that sent the subtask out. */
export const tellOutcome = (agent: AgentType, ended: EndedSubtask): string => {
  if (ended.outcome._tag === "Failed") {
    return `Error: the ${agent} subagent failed (task ${ended.task}): ${ended.outcome.error}`
  }
  const { files, text } = ended.outcome
  const named = files.length === 0 ? "" : `\n\nFiles that it marked for attachment: ${files.join(", ")}`
  return `The ${agent} subagent is done (task ${ended.task}).\n\n${text}${named}`
}
