import type { TaskType } from "./Task.ts"

export interface Limits {
  /** Iterations after which the system prompt asks the agent to finish. */
  readonly soft: number
  /** Iterations after which the task is completed with its results so far. */
  readonly hard: number
  /** Model and tool steps after which the task fails. */
  readonly recursion: number
}

export const parentLimits: Limits = { soft: 8, hard: 10, recursion: 25 }
export const subagentLimits: Limits = { soft: 12, hard: 15, recursion: 35 }

/** How many iterations a task may ask for, unless the settings say otherwise. */
export const defaultMaxIterations = 200

/**
 * The limits of a task whose request sets the hard limit: its soft limit is 80% of the hard limit. The hard limit of a subtask is at most
 * that of the settings. The hard limit of a task is at most `largest`, and its recursion limit grows with it.
 */
export const limitsOf = (
  type: TaskType,
  { largest = defaultMaxIterations, parent, subagent }: {
    readonly parent: Limits
    readonly subagent: Limits
    readonly largest?: number | undefined
  },
  maxIterations: number | null
): Limits => {
  const base = type === "subtask" ? subagent : parent
  if (maxIterations === null || (type === "subtask" && maxIterations >= base.hard)) return base
  const hard = type === "subtask" ? maxIterations : Math.min(maxIterations, largest)
  return {
    hard,
    soft: Math.floor(hard * 0.8),
    recursion: type === "subtask" ? base.recursion : Math.max(base.recursion, 2 * hard + 5)
  }
}
