import type { Message } from "@troupe/domain/Message"
import { transcriptOf } from "./SummaryRequest.ts"
import type { TokenCounter } from "./TokenEstimate.ts"

export type BudgetPlan =
  | { readonly _tag: "Working"; readonly maxOutput: number }
  /** Without tools. A conversation that does not fit is sent as a transcript of so many tokens. */
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
export const minWorkingAnswer = 1_024
export const summaryTokens = 4_000
export const workStepTokens = 1_500
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

/** Below this many characters a message, the older half of a conversation is left out. */
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
