import { ToolCallId } from "@troupe/domain/Ids"
import type { ModelPrice } from "@troupe/domain/ModelPrice"
import { type Run, unfinishedText, visibleMessages } from "@troupe/domain/Run"
import { pauseCallOf, type Spender, spendingChoices } from "@troupe/domain/Spending"
import type { Step } from "@troupe/domain/Step"
import { Context } from "effect"
import { counter, open } from "../Runtime/Telemetry/Metrics.ts"
import { type AgentTask, type StepOutcome, withEvent } from "./AgentDependencies.ts"
import { outputOf } from "./EndReport.ts"
import { roughCounter } from "./TokenEstimate.ts"

/** A call for which money is reserved until what it cost is known. */
export interface Reservation {
  readonly release: () => void
}

export type Permission =
  | { readonly _tag: "Granted"; readonly reservation: Reservation | null }
  | { readonly _tag: "Paused"; readonly key: string; readonly question: string }
  | { readonly _tag: "Stopped"; readonly reason: string }

export interface ModelCallOf extends Spender {
  readonly model: string
  readonly source: string | null
}

const noLimit: Permission = { _tag: "Granted", reservation: null }

/** What calls of models may cost and have cost. All of it is answered from memory. */
export class SpendingLimit extends Context.Reference<SpendingLimit>()("troupe/Agent/Spending", {
  defaultValue: () => ({
    reserve: (_of: Spender, _amount: () => number): Permission => noLimit,
    /** Counts a call; null: it has no price. */
    spent: (_of: ModelCallOf, _cost: number | null): void => {}
  })
}) {}

const costs = counter(
  "troupe_model_cost",
  "What calls of language models cost by the prices of the models, with 0 for those without a price.",
  { model: open, agent: open, source: open }
)

/** Counts the cost of a call in the metrics; null: it has no price. */
export const countCost = ({ agent, model, source }: ModelCallOf, cost: number | null): void =>
  costs(cost ?? 0, { model, agent: agent ?? "default", source: source ?? "api" })

/** Prompt and tools, and an answer, as they usually are. */
const [usualPrompt, usualAnswer] = [3_000, 1_000]

/** About what the next call costs. */
export const usualCost = (run: Run, price: ModelPrice | undefined): number => {
  if (price === undefined) return 0
  const sent = visibleMessages(run).reduce((sum, message) => sum + roughCounter.ofMessage(message), usualPrompt)
  return (sent * price.input + usualAnswer * price.output) / 1_000_000
}

/** What the calls of a step cost; null: they have no price; undefined: it made none. */
export const costIn = (step: Step): number | null | undefined => {
  if (!("tokens" in step) || step.tokens === undefined) return undefined
  const [input, output] = step.tokens
  return input + output === 0 && step.cost === undefined ? undefined : step.cost ?? null
}

/** The name of the model that answered; undefined for that of the settings. */
export const modelIn = (step: Step): string | undefined => "model" in step ? step.model : undefined

/** A subtask can't wait for an answer: it looks again later. */
const subtaskPause = 300_000

export const pausedOutcome = (
  { type }: Pick<AgentTask, "type">,
  { key, question }: Permission & { readonly _tag: "Paused" },
  now: number
): StepOutcome => {
  const id = ToolCallId.make(pauseCallOf(key))
  return type === "subtask"
    ? { step: { kind: "results", results: [], paused: id }, event: null, sleepUntil: now + subtaskPause }
    : withEvent(
      { kind: "results", results: [], asked: { id, question, choices: [...spendingChoices], limit: key } },
      { _tag: "AskedHuman", question, toolCallId: id }
    )
}

/** The end of a task under a limit about which `Stop` was decided. */
export const stoppedOutcome = (run: Run, reason: string): StepOutcome =>
  withEvent(
    {
      kind: "forced",
      reason,
      endedBy: "budget",
      ...outputOf(run, unfinishedText(run) || run.lastText, reason),
      files: []
    },
    { _tag: "Completed" }
  )
