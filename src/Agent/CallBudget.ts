import { rounded } from "@troupe/domain/ModelPrice"
import { moneyLeft, type Run, tokensLeft } from "@troupe/domain/Run"
import type { AgentTask } from "./AgentDependencies.ts"

/** What a token counts of a budget: one of a token budget, its price of a cost limit. */
interface Weights {
  readonly input: number
  readonly output: number
}

/** What a task has left of its token budget or of its cost limit. */
export interface Budget {
  readonly of: "cost" | "tokens"
  readonly total: number
  readonly left: number
  readonly weights: Weights
}

/** Prices for a token each. */
export const budgetsOf = (
  { maxCost, tokenBudget }: Pick<AgentTask, "maxCost" | "tokenBudget">,
  price: Weights | undefined,
  run: Run
): ReadonlyArray<Budget> => [
  ...(tokenBudget === null
    ? []
    : [{ of: "tokens" as const, total: tokenBudget, left: tokensLeft(tokenBudget, run) ?? 0, weights: ofTokens }]),
  ...(maxCost === null || price === undefined || price.input + price.output === 0
    ? []
    : [{
      of: "cost" as const,
      total: maxCost,
      left: moneyLeft(maxCost, run) ?? 0,
      weights: { input: price.input / 1_000_000, output: price.output / 1_000_000 }
    }])
]

const ofTokens: Weights = { input: 1, output: 1 }

/** "token budget of 5000" */
export const nameOf = ({ of, total }: Pick<Budget, "of" | "total">): string =>
  of === "tokens" ? `token budget of ${total}` : `cost limit of ${total}`

/** "4100 tokens", "0.02" */
export const amountOf = ({ of }: Pick<Budget, "of">, amount: number): string =>
  of === "tokens" ? `${Math.ceil(amount)}` : `${Math.ceil(amount * 1e6) / 1e6}`

export const leftOf = ({ left, of }: Budget): number => of === "tokens" ? left : rounded(left)

export type BudgetPlan =
  | { readonly _tag: "Working"; readonly maxOutput: number }
  /** The last call, without tools. A conversation that does not fit is sent as a transcript of so many tokens. */
  | { readonly _tag: "Closing"; readonly maxOutput: number; readonly transcript: number | null }
  | { readonly _tag: "Unaffordable"; readonly needed: number }
  | { readonly _tag: "Exhausted"; readonly needed: number }

export interface CallSizes {
  readonly input: number
  readonly closingPrompt: number
  readonly conversation: number
}

export const minAnswer = 512
/** Minimum room for an answer that may call tools: a call that is cut off is of no use. */
const minWorkingAnswer = 1_024
const minTranscript = 512
const usualTranscript = 1_500

/** No model writes more. */
const mostOutput = 1_000_000

/** The share of an input by which its estimate may be wrong. */
const estimateError = 0.05

export const closingReserve = (closingPrompt: number): number => closingPrompt + usualTranscript + minAnswer

type Limit = Pick<Budget, "left" | "weights">

const planCall = ({ left, weights }: Limit, isFirst: boolean, sizes: CallSizes): BudgetPlan => {
  const costs = (input: number, output: number) => input * weights.input + output * weights.output
  const affords = (room: number) =>
    weights.output === 0 ? mostOutput : Math.floor(Number((room / weights.output).toFixed(6)))
  const { closingPrompt, conversation, input } = sizes
  if (isFirst && costs(input, minAnswer) > left) return { _tag: "Unaffordable", needed: costs(input, minAnswer) }
  const reserve = costs(closingReserve(closingPrompt) - minAnswer, minAnswer)
  const maxOutput = affords(left - costs(Math.ceil(input * (1 + estimateError)), 0) - reserve)
  if (maxOutput >= minWorkingAnswer) return { _tag: "Working", maxOutput }
  const room = left - costs(closingPrompt, 0)
  if (costs(conversation, minAnswer) <= room) {
    return { _tag: "Closing", maxOutput: affords(room - costs(conversation, 0)), transcript: null }
  }
  const needed = costs(closingPrompt + minTranscript, minAnswer)
  return needed <= left
    ? {
      _tag: "Closing",
      maxOutput: minAnswer,
      transcript: weights.input === 0
        ? usualTranscript
        : Math.floor(Number(((room - costs(0, minAnswer)) / weights.input).toFixed(6)))
    }
    : { _tag: "Exhausted", needed }
}

const strictness: Readonly<Record<BudgetPlan["_tag"], number>> = {
  Unaffordable: 3,
  Exhausted: 2,
  Closing: 1,
  Working: 0
}

/** The plan that all budgets allow, with the one that decides it. */
export const planCalls = (
  budgets: ReadonlyArray<Budget>,
  isFirst: boolean,
  sizes: CallSizes
): { readonly budget: Budget; readonly plan: BudgetPlan } | null => {
  const [first, ...others] = budgets.map((budget) => ({ budget, plan: planCall(budget, isFirst, sizes) }))
  return first === undefined ? null : others.reduce((strictest, one) => {
    const difference = strictness[one.plan._tag] - strictness[strictest.plan._tag]
    return difference > 0 || difference === 0 && outputOf(one.plan) < outputOf(strictest.plan) ? one : strictest
  }, first)
}

const outputOf = (plan: BudgetPlan): number => "maxOutput" in plan ? plan.maxOutput : 0

/**
 * Whether a summary or the extraction of work steps is affordable: after it, a call with tools of size `next` must fit.
 */
export const mayPrepare = (limit: Limit, spent: readonly [input: number, output: number], next: CallSizes): boolean => {
  const { left, weights } = limit
  const used = Math.ceil(spent[0] * (1 + estimateError)) * weights.input
    + Math.ceil(spent[1] * (1 + estimateError)) * weights.output
  return planCall({ left: left - used, weights }, false, next)._tag === "Working"
}
