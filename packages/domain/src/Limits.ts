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

export const minTokenBudget = 4_000

const budgetWarning = 0.8

/** A lower `max_iterations` of a subagent replaces the hard limit; the soft limit is then 80% of it. */
export const limitsOf = (
  type: TaskType,
  limits: { readonly parent: Limits; readonly subagent: Limits },
  maxIterations: number | null
): Limits => {
  const base = type === "subtask" ? limits.subagent : limits.parent
  if (maxIterations === null || maxIterations >= base.hard) return base
  return { ...base, hard: maxIterations, soft: Math.floor(maxIterations * 0.8) }
}

export const isBudgetLow = (budget: number | null, used: number): boolean =>
  budget !== null && used >= budget * budgetWarning

/** In percent: rises with each iteration to 95 and never falls. */
export const progressAfter = (before: number, iterations: number, hard: number): number =>
  Math.max(before, Math.min(95, Math.round((95 * iterations) / hard)))
