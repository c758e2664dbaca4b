import type { Message } from "@troupe/domain/Message"
import { isBudgetLow, type Run, tokensLeft, tokensSpent, unfinishedText, visibleMessages } from "@troupe/domain/Run"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import { type Model, noTools, type ToolSet } from "../Model/Model.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import { type CompactionPlan, planCompaction, summarySizes, summaryTokens } from "./Compaction.ts"
import { continueAnswer, conversationOf, transcriptOf } from "./Conversation.ts"
import { type PromptSource, systemPrompt } from "./SystemPrompt.ts"
import { overheadOf, type TokenCounter, tokensPerImage } from "./TokenEstimate.ts"
import { calibrated, type KnownRatios, type TokenRatios } from "./TokenRatios.ts"
import { toolsOf } from "./ToolSelection.ts"
import { workStepsRequest, workStepTokens } from "./WorkSteps.ts"

export interface PlanSource extends PromptSource {
  readonly model: Model["Type"]
  readonly toolbox: Toolbox
  readonly tokenizer: Effect.Effect<TokenCounter>
  readonly ratios: TokenRatios
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

export const planWithin = (
  budget: number,
  source: PlanSource,
  run: Run,
  tokenizer: TokenCounter,
  known: KnownRatios
): Decision => {
  const left = tokensLeft(budget, run) ?? 0
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
      // A compaction for the number of messages alone is skipped when the budget has no room for its summary.
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
  const left = tokensLeft(task.tokenBudget, run)
  if (left === null) return Effect.succeed(true)
  return Effect.zipWith(tokenizer, ratios.of(model), (counter, known) => {
    const { ofText, ofTools } = counter
    const { ofInput, ofText: corrected } = calibrated(run, known)
    const { messages, system } = workStepsRequest(task.input)
    const request = messages.reduce((sum, message) => sum + ofText(message.content), ofText(system))
    const unprepared = { ...source, skills: [] }
    const conversation = sentTokens(unprepared, counter, run)
    const prompt = ofText(systemPrompt(unprepared, run, false)) + tokensOfSkillsAndMemories
    return mayPrepare(left, corrected(request) + workStepTokens, {
      input: ofInput(prompt + ofTools(toolbox.toolSet()) + conversation),
      closingPrompt: corrected(ofText(systemPrompt(unprepared, run, true)) + tokensOfSkillsAndMemories),
      conversation: corrected(conversation)
    })
  })
}

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

/** The share of an input by which its estimate may be wrong. */
const estimateError = 0.05

export const closingReserve = (closingPrompt: number): number => closingPrompt + usualTranscript + minAnswer

export const planCall = (left: number, isFirst: boolean, sizes: CallSizes): BudgetPlan => {
  const { input } = sizes
  if (isFirst && input + minAnswer > left) return { _tag: "Unaffordable", needed: input + minAnswer }
  const maxOutput = left - Math.ceil(input * (1 + estimateError)) - closingReserve(sizes.closingPrompt)
  if (maxOutput >= minWorkingAnswer) return { _tag: "Working", maxOutput }
  const room = left - sizes.closingPrompt
  if (sizes.conversation + minAnswer <= room) {
    return { _tag: "Closing", maxOutput: room - sizes.conversation, transcript: null }
  }
  return minTranscript + minAnswer <= room
    ? { _tag: "Closing", maxOutput: minAnswer, transcript: room - minAnswer }
    : { _tag: "Exhausted", needed: sizes.closingPrompt + minTranscript + minAnswer }
}

/**
 * Whether a summary or the extraction of work steps is affordable: after it, a call with tools of size `next` must fit.
 */
export const mayPrepare = (left: number, spent: number, next: CallSizes): boolean =>
  planCall(left - Math.ceil(spent * (1 + estimateError)), false, next)._tag === "Working"

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
