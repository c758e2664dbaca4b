import type { Message } from "@troupe/domain/Message"
import type { ModelPrice } from "@troupe/domain/ModelPrice"
import { isBudgetLow, type Run, unfinishedText, visibleMessages } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import { type ChosenModel, noTools, type ToolSet } from "../Model/Model.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import {
  amountOf,
  type Budget,
  type BudgetPlan,
  budgetsOf,
  type CallSizes,
  leftOf,
  mayPrepare,
  nameOf,
  planCalls
} from "./CallBudget.ts"
import {
  type CompactionPlan,
  type CompactionSettings,
  planCompaction,
  summarySizes,
  summaryTokens
} from "./Compaction.ts"
import { continueAnswer, conversationOf, transcriptOf } from "./Conversation.ts"
import { type PromptSource, systemPrompt } from "./SystemPrompt.ts"
import { overheadOf, type TokenCounter, tokensPerImage } from "./TokenEstimate.ts"
import { calibrated, type KnownRatios, type TokenRatios } from "./TokenRatios.ts"
import { toolsOf } from "./ToolSelection.ts"
import { workStepsRequest, workStepTokens } from "./WorkSteps.ts"

export interface PlanSource extends PromptSource {
  /** The model that writes summaries; left out: the same. */
  readonly summariser?: ChosenModel | undefined
  readonly model: ChosenModel
  /** Of its tokens; undefined where it is not known. */
  readonly price: ModelPrice | undefined
  readonly toolbox: Toolbox
  readonly tokenizer: Effect.Effect<TokenCounter>
  readonly ratios: TokenRatios
  /** The window of a fallback, where the conversation was too long for that. */
  readonly window?: number
}

/** The rules of compaction with the window of the model that is called. */
export const compactionOf = ({ model, settings: { compaction }, task, window }: PlanSource): CompactionSettings => ({
  ...compaction,
  contextTokens: window ?? model.contextTokens ?? compaction.contextTokens,
  minTokens: task.compactionMinTokens ?? compaction.minTokens ?? 0
})

export interface Call {
  readonly _tag: "Call"
  readonly system: string
  readonly tools: ToolSet
  readonly budget: (BudgetPlan & { readonly _tag: "Working" | "Closing" } & { readonly name: string }) | null
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

export const planWithin = (
  budgets: ReadonlyArray<Budget>,
  source: PlanSource,
  run: Run,
  tokenizer: TokenCounter,
  known: KnownRatios
): Decision => {
  const [system, closing] = [systemPrompt(source, run, false), systemPrompt(source, run, true)]
  const tools = toolsOf(source.toolbox, source.skills, run)
  const estimated = {
    input: tokenizer.ofText(system) + tokenizer.ofTools(tools),
    closing: tokenizer.ofText(closing),
    conversation: sentTokens(source, tokenizer, run)
  }
  const { ofInput, ofText } = calibrated(run, known)
  const sizes: CallSizes = {
    input: ofInput(estimated.input + estimated.conversation),
    closingPrompt: ofText(estimated.closing),
    conversation: ofText(estimated.conversation)
  }
  const planned = planCalls(budgets, run.lastCall === null, sizes)
  if (planned === null) return planWithoutBudget(source, run)
  const { budget, plan } = planned
  const [name, left] = [nameOf(budget), leftOf(budget)]
  switch (plan._tag) {
    case "Unaffordable":
      return {
        _tag: "Fail",
        error:
          `The first model call takes about ${amountOf(budget, plan.needed)}${
            budget.of === "tokens" ? " tokens" : ""
          } with its `
          + `answer, and ${left} of the ${name} are left. Start the task again with a larger ${
            budget.of === "tokens" ? "budget" : "cost limit"
          } or with fewer tools.`
      }
    case "Exhausted":
      return {
        _tag: "Force",
        reason: `The ${name} is used up: ${Math.max(0, left)} are left, and another model call takes about ${
          amountOf(budget, plan.needed)
        }.`
      }
    case "Working": {
      const maySummarise: SummaryAllowance = (compaction) => {
        const { input, remaining } = summarySizes(tokenizer, run, compaction)
        const next = { ...sizes, input: ofText(estimated.input + remaining), conversation: ofText(remaining) }
        return budgets.every((one) => mayPrepare(one, [ofText(input), summaryTokens], next))
      }
      const compaction = planCompaction(run, compactionOf(source), overheadOf(system, tools))
      // A compaction for the number of messages alone is skipped when the budget has no room for its summary.
      if (compaction !== null && (compaction.because !== "messages" || maySummarise(compaction))) {
        return { _tag: "Compact", plan: compaction, maySummarise: maySummarise(compaction) }
      }
      const low = run.warned.has("low")
        ? undefined
        : budgets.find(({ left, total }) => isBudgetLow(total, total - left))
      const noted = {
        estimate: estimated.input + estimated.conversation,
        ...(low === undefined ? {} : { warning: warningOf("low", low) })
      }
      return { _tag: "Call", system, tools, budget: { ...plan, name }, noted, transcript: null, maySummarise }
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
        ...(run.warned.has("last") ? {} : { warning: warningOf("last", budget) })
      }
      const maySummarise = () => false
      return {
        _tag: "Call",
        system: closing,
        tools: noTools,
        budget: { ...plan, name },
        noted,
        transcript,
        maySummarise
      }
    }
  }
}

const warningOf = (kind: "last" | "low", budget: Budget): NonNullable<Modelled["warning"]> => ({
  kind,
  budget: budget.total,
  left: leftOf(budget),
  ...(budget.of === "cost" ? { of: "cost" as const } : {})
})

export const planWithoutBudget = (source: PlanSource, run: Run): Decision => {
  const system = systemPrompt(source, run, false)
  const tools = toolsOf(source.toolbox, source.skills, run)
  const plan = planCompaction(run, compactionOf(source), overheadOf(system, tools))
  return plan === null
    ? { _tag: "Call", system, tools, budget: null, noted: {}, transcript: null, maySummarise: () => true }
    : { _tag: "Compact", plan, maySummarise: true }
}

const tokensPerNotice = 50

const sentTokens = ({ model }: Pick<PlanSource, "model">, { ofMessage }: TokenCounter, run: Run): number =>
  conversationOf(run).reduce((sum, message) => {
    const images = message.role === "user" ? message.images ?? [] : []
    return sum + ofMessage(message) -
      (tokensPerImage - tokensPerNotice) * images.filter((image) => !model.sees(image.media_type)).length
  }, 0)

const tokensOfSkillsAndMemories = 2_000

export const mayExtractSteps = (source: Omit<PlanSource, "skills">, run: Run): Effect.Effect<boolean> => {
  const { model, ratios, task, tokenizer, toolbox } = source
  const budgets = budgetsOf(task, source.price, run)
  if (budgets.length === 0) return Effect.succeed(true)
  return Effect.zipWith(tokenizer, ratios.of(model), (counter, known) => {
    const { ofText, ofTools } = counter
    const { ofInput, ofText: corrected } = calibrated(run, known)
    const { messages, system } = workStepsRequest(task.input)
    const request = messages.reduce((sum, message) => sum + ofText(message.content), ofText(system))
    const unprepared = { ...source, skills: [] }
    const conversation = sentTokens(unprepared, counter, run)
    const prompt = ofText(systemPrompt(unprepared, run, false)) + tokensOfSkillsAndMemories
    const next = {
      input: ofInput(prompt + ofTools(toolbox.toolSet()) + conversation),
      closingPrompt: corrected(ofText(systemPrompt(unprepared, run, true)) + tokensOfSkillsAndMemories),
      conversation: corrected(conversation)
    }
    return budgets.every((budget) => mayPrepare(budget, [corrected(request), workStepTokens], next))
  })
}

/** Characters of each message. With less, the older half of the conversation is left out. */
const minShare = 40

/**
 * A transcript of at most `tokens`, followed by the request: the longest messages are cut, then the oldest left out.
 */
export const fittedTranscript = (
  { ofText }: TokenCounter,
  conversation: ReadonlyArray<Message>,
  request: string,
  tokens: number
): string => {
  const written = (some: ReadonlyArray<Message>, length: number) => `${transcriptOf(some, length)}\n\n${request}`
  let messages = conversation
  let characters = tokens * 4
  let transcript = written(messages, characters)
  for (let size = ofText(transcript); size > tokens && messages.length > 0; size = ofText(transcript)) {
    if (characters < messages.length * minShare) messages = messages.slice(Math.ceil(messages.length / 2))
    else characters = Math.floor(characters * Math.min(0.8, tokens / size))
    transcript = written(messages, characters)
  }
  return transcript
}
