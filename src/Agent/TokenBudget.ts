import type { Message } from "@troupe/domain/Message"
import { transcriptOf } from "./SummaryRequest.ts"
import type { TokenCounter } from "./TokenEstimate.ts"

/** What the rest of a token budget allows next (contract.md 15). Sizes are in tokens. */
export type BudgetPlan =
  /** A call with tools, after which a call without them still fits. */
  | { readonly _tag: "Working"; readonly maxOutput: number }
  /** The last call: without tools. A conversation that does not fit goes as a transcript of so many tokens. */
  | { readonly _tag: "Closing"; readonly maxOutput: number; readonly transcript: number | null }
  /** Not even the first call fits. */
  | { readonly _tag: "Unaffordable"; readonly needed: number }
  | { readonly _tag: "Exhausted"; readonly needed: number }

/** The estimated sizes of the next call's input. */
export interface CallSizes {
  /** All of it: system prompt, tools and conversation. */
  readonly input: number
  /** The system prompt that asks for the last answer, which goes without tools, and the conversation. */
  readonly closingPrompt: number
  readonly conversation: number
}

/** The least room for an answer; with less, no call is made. */
export const minAnswer = 512
/** The least room for an answer that may call tools: a call that is cut off is of no use. */
export const minWorkingAnswer = 1_024
/** The most that a summary, or the steps of the work, may take of a budget as an answer. */
export const summaryTokens = 4_000
export const workStepTokens = 1_500
/** The least and the usual size of a transcript of a conversation that does not fit as it is. */
const minTranscript = 512
const usualTranscript = 1_500

/** How far estimates may be off (contract.md 15), kept free for the last call. */
const estimateError = 0.05

/** What the call after a call with tools needs at least, however long its results are. */
export const closingReserve = (closingPrompt: number): number => closingPrompt + usualTranscript + minAnswer

/** What the next call may be, with `left` tokens of the budget. */
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
 * Whether a call that only prepares (a summary, the steps of the work) may be made: after it a call with tools, of the
 * size that `next` estimates, still fits. `spent` is what the preparing call takes with its answer.
 */
export const mayPrepare = (left: number, spent: number, next: CallSizes): boolean =>
  planCall(left - Math.ceil(spent * (1 + estimateError)), false, next)._tag === "Working"

/** Characters of a message below which the older half of a conversation is left out rather than cut further. */
const minShare = 40

/**
 * A conversation as a text of at most so many tokens, with what is asked for behind it: its longest messages are cut,
 * then the oldest left out.
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
