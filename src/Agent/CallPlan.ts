import { isBudgetLow } from "@troupe/domain/Limits"
import { type Run, tokensLeft, tokensSpent, unfinishedText, visibleMessages } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import { type Model, noTools, type ToolSet } from "../Model/Model.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import { type CompactionPlan, planCompaction, summarySizes } from "./Compaction.ts"
import { continueAnswer, conversationOf } from "./Conversation.ts"
import { promptOf, type PromptSource, toolsOf } from "./ModelPrompt.ts"
import {
  type BudgetPlan,
  type CallSizes,
  fittedTranscript,
  mayPrepare,
  planCall,
  summaryTokens,
  workStepTokens
} from "./TokenBudget.ts"
import { calibrated, perPicture, roughCounter, type TokenCounter } from "./TokenEstimate.ts"
import { workStepsRequest } from "./WorkSteps.ts"

export interface PlanSource extends PromptSource {
  readonly model: Model["Type"]
  readonly toolbox: Toolbox
  readonly tokenizer: Effect.Effect<TokenCounter>
}

export interface Call {
  readonly _tag: "Call"
  readonly system: string
  readonly tools: ToolSet
  readonly budget: (BudgetPlan & { readonly _tag: "Working" | "Closing" }) | null
  readonly noted: Pick<Modelled, "estimate" | "warning">
  readonly transcript: string | null
  /** Whether the budget allows a summary, should the model's window overflow. */
  readonly maySummarise: SummaryAllowance
}

type SummaryAllowance = (plan: CompactionPlan) => boolean

export type Decision =
  | Call
  | { readonly _tag: "Compact"; readonly plan: CompactionPlan; readonly maySummarise: boolean }
  | { readonly _tag: "Fail"; readonly error: string }
  | { readonly _tag: "Force"; readonly reason: string }

export const planStep = (source: PlanSource, run: Run): Effect.Effect<Decision> => {
  const { tokenBudget } = source.task
  return tokenBudget === null
    ? Effect.sync(() => unlimited(source, run))
    : Effect.map(source.tokenizer, (tokenizer) => budgeted(source, run, tokenBudget, tokenizer))
}

const unlimited = (source: PlanSource, run: Run): Decision => {
  const system = promptOf(source, run, false)
  const tools = toolsOf(source.toolbox, source.skills, run)
  const plan = planCompaction(run, source.settings.compaction, overheadOf(system, tools))
  return plan === null
    ? { _tag: "Call", system, tools, budget: null, noted: {}, transcript: null, maySummarise: () => true }
    : { _tag: "Compact", plan, maySummarise: true }
}

const overheadOf = (system: string, tools: ToolSet): number => roughCounter.ofText(system) + roughCounter.ofTools(tools)

const budgeted = (source: PlanSource, run: Run, budget: number, tokenizer: TokenCounter): Decision => {
  const left = tokensLeft(budget, run) ?? 0
  const [system, closing] = [promptOf(source, run, false), promptOf(source, run, true)]
  const tools = toolsOf(source.toolbox, source.skills, run)
  const estimated = {
    input: tokenizer.ofText(system) + tokenizer.ofTools(tools),
    closing: tokenizer.ofText(closing),
    conversation: sentTokens(source, tokenizer, run)
  }
  const { ofInput, ofText } = calibrated(run.lastCall)
  const sizes: CallSizes = {
    input: ofInput(estimated.input + estimated.conversation),
    closingPrompt: ofText(estimated.closing),
    conversation: ofText(estimated.conversation)
  }
  const plan = planCall(left, run.lastCall === null, sizes)
  switch (plan._tag) {
    case "Unaffordable":
      return {
        _tag: "Fail",
        error:
          `The first model call takes about ${plan.needed} tokens with its answer, and ${left} of the token budget `
          + `of ${budget} are left. Start the task again with a larger budget or with fewer tools.`
      }
    case "Exhausted":
      return {
        _tag: "Force",
        reason: `The token budget of ${budget} is used up: ${Math.max(0, left)} are left, and another model call takes `
          + `about ${plan.needed}.`
      }
    case "Working": {
      const maySummarise: SummaryAllowance = (compaction) => {
        const { input, remaining } = summarySizes(tokenizer, run, compaction)
        const next = { ...sizes, input: ofText(estimated.input + remaining), conversation: ofText(remaining) }
        return mayPrepare(left, ofText(input) + summaryTokens, next)
      }
      const compaction = planCompaction(run, source.settings.compaction, overheadOf(system, tools))
      // One that is due only by the number of messages is left out when the budget has no room for its summary.
      if (compaction !== null && (compaction.because !== "messages" || maySummarise(compaction))) {
        return { _tag: "Compact", plan: compaction, maySummarise: maySummarise(compaction) }
      }
      const isNews = isBudgetLow(budget, tokensSpent(run)) && !run.warned.has("low")
      const noted = {
        estimate: estimated.input + estimated.conversation,
        ...(isNews ? { warning: { kind: "low" as const, budget, left } } : {})
      }
      return { _tag: "Call", system, tools, budget: plan, noted, transcript: null, maySummarise }
    }
    case "Closing": {
      const request = unfinishedText(run) === "" ? "Write your answer now." : continueAnswer
      const transcript = plan.transcript === null
        ? null
        : fittedTranscript(
          tokenizer,
          visibleMessages(run),
          request,
          Math.floor((plan.transcript * 1_000) / ofText(1_000))
        )
      const noted = {
        estimate: estimated.closing +
          (transcript === null ? estimated.conversation : tokenizer.ofText(transcript)),
        ...(run.warned.has("last") ? {} : { warning: { kind: "last" as const, budget, left } })
      }
      const maySummarise = () => false
      return { _tag: "Call", system: closing, tools: noTools, budget: plan, noted, transcript, maySummarise }
    }
  }
}

const perPictureNotice = 50

const sentTokens = ({ model }: PlanSource, { ofMessage }: TokenCounter, run: Run): number =>
  conversationOf(run).reduce((sum, message) => {
    const images = message.role === "user" ? message.images ?? [] : []
    return sum + ofMessage(message) -
      (perPicture - perPictureNotice) * images.filter((image) => !model.sees(image.media_type)).length
  }, 0)

const tokensOfSkillsAndMemories = 2_000

export const mayExtractSteps = (source: Omit<PlanSource, "skills">, run: Run): Effect.Effect<boolean> => {
  const { task, tokenizer, toolbox } = source
  const left = tokensLeft(task.tokenBudget, run)
  if (left === null) return Effect.succeed(true)
  return Effect.map(tokenizer, (counter) => {
    const { ofText, ofTools } = counter
    const { messages, system } = workStepsRequest(task.input)
    const request = messages.reduce((sum, message) => sum + ofText(message.content), ofText(system))
    const unprepared = { ...source, skills: [] }
    const conversation = sentTokens(unprepared, counter, run)
    return mayPrepare(left, request + workStepTokens, {
      input: ofText(promptOf(unprepared, run, false)) + ofTools(toolbox.toolSet()) + tokensOfSkillsAndMemories +
        conversation,
      closingPrompt: ofText(promptOf(unprepared, run, true)) + tokensOfSkillsAndMemories,
      conversation
    })
  })
}
