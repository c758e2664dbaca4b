import type { TaskType } from "./Task.ts"

/** How far an agent may go (service.md, "Parent agent versus subagent"). */
export interface Limits {
  /** Iterations after which the wrap-up warning stands in the system prompt. */
  readonly soft: number
  /** Iterations after which the task is completed with what it has. */
  readonly hard: number
  /** Model and tool steps after which the task fails. */
  readonly recursion: number
}

export const parentLimits: Limits = { soft: 8, hard: 10, recursion: 25 }
export const subagentLimits: Limits = { soft: 12, hard: 15, recursion: 35 }

/** The smallest token budget of a task or a subtask (contract.md 15). */
export const minTokenBudget = 4_000

/** The share of a token budget at which the warning comes. */
const budgetWarning = 0.8

/**
 * A subagent's own `max_iterations` replaces the hard limit when it is lower; its soft limit is then 80% of that,
 * rounded down (contract.md 14).
 */
export const limitsOf = (
  type: TaskType,
  limits: { readonly parent: Limits; readonly subagent: Limits },
  maxIterations: number | null
): Limits => {
  const base = type === "subtask" ? limits.subagent : limits.parent
  if (maxIterations === null || maxIterations >= base.hard) return base
  return { ...base, hard: maxIterations, soft: Math.floor(maxIterations * 0.8) }
}

/** Whether so much of a token budget is used that the agent is asked to finish: 80%. Never without a budget. */
export const isBudgetLow = (budget: number | null, used: number): boolean =>
  budget !== null && used >= budget * budgetWarning

/** Progress in percent: 0 when pending, rising with each iteration to 95, never falling. */
export const progressAfter = (before: number, iterations: number, hard: number): number =>
  Math.max(before, Math.min(95, Math.round((95 * iterations) / hard)))
