import { type CompactionLimits, fallbackIndex, mayTry, splitIndex, visible } from "@troupe/domain/Compaction"
import type { Message } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import type { Compacted } from "@troupe/domain/Step"
import { headOf } from "@troupe/domain/ToolResult"
import { Clock, Effect } from "effect"
import type { Model } from "../Model/Model.ts"
import { summaryRequest, summarySystem } from "./SummaryRequest.ts"
import { summaryTokens } from "./TokenBudget.ts"
import { roughCounter, type TokenCounter } from "./TokenEstimate.ts"

export interface CompactionSettings extends CompactionLimits {
  /** The model's window (`MODEL_CONTEXT_TOKENS`), and the share of it above which a request is compacted. */
  readonly contextTokens: number
  readonly contextShare: number
}

/** What is to be hidden: messages before `split` behind a summary, or those before `fallback` where none can be made. */
export interface CompactionPlan {
  readonly because: Compacted["because"]
  readonly split: number
  readonly fallback: number
}

/**
 * What is to be compacted before the next model call, or null: more messages are visible than the threshold, or the
 * request is larger than its share of the model's window. `overhead` are the tokens of the prompt and the tools.
 */
export const planCompaction = (
  run: Run,
  settings: CompactionSettings,
  overhead: number
): CompactionPlan | null => {
  const tokens = tokensOf(visible(run.messages, run.compaction))
  const allowed = settings.contextTokens * settings.contextShare - overhead
  const plan = tokens > allowed ? fitting(run, settings, "tokens", Math.max(0, allowed) / 2) : null
  return plan !== null && isWorthIt(run, settings, plan) ? plan : planned(run, settings, "messages")
}

/** Where prompt and tools alone fill the window no summary helps: one is paid for only if it frees a tenth. */
const isWorthIt = ({ compaction, messages }: Run, { contextTokens }: CompactionSettings, { split }: CompactionPlan) =>
  tokensOf(messages.slice(compaction?.upto ?? 0, split)) >= contextTokens / 10

const tokensOf = (messages: ReadonlyArray<Message>): number =>
  messages.reduce((sum, message) => sum + roughCounter.ofMessage(message), 0)

/** What is to be compacted because the model's window was overrun: about half of what is visible. */
export const planOverflow = (run: Run, settings: CompactionSettings): CompactionPlan | null => {
  if (run.compaction?.overran === true) return null
  const seen = visible(run.messages, run.compaction)
  const maxRecent = Math.max(1, Math.min(settings.maxRecent, seen.length >> 1))
  return fitting(run, { ...settings, maxRecent }, "overflow", tokensOf(seen) / 2)
}

/** Keeps as many of the recent messages as are within `tokens`, and one in any case. */
const fitting = (
  run: Run,
  { maxRecent }: CompactionLimits,
  because: Compacted["because"],
  tokens: number
): CompactionPlan | null => {
  let kept = 0
  let left = tokens
  for (const message of run.messages.slice(-maxRecent).toReversed()) {
    left -= roughCounter.ofMessage(message)
    if (left < 0) break
    kept += 1
  }
  return planned(run, { threshold: 0, maxRecent: Math.max(1, kept) }, because)
}

const planned = (run: Run, limits: CompactionLimits, because: Compacted["because"]): CompactionPlan | null => {
  const split = splitIndex(run.messages, run.compaction, limits)
  return split === null ? null : { because, split, fallback: fallbackIndex(run.messages, limits) }
}

/** What the marks around a part of a summary request take, in tokens. */
const perPart = 12

/** The estimated sizes of a summary's request, and of the conversation after it with the largest summary. */
export const summarySizes = (
  { ofMessage, ofText }: TokenCounter,
  { compaction, messages }: Run,
  { split }: CompactionPlan
): { readonly input: number; readonly remaining: number } => {
  const size = (some: ReadonlyArray<Message>, each: number) =>
    some.reduce((sum, message) => sum + ofMessage(message) + each, 0)
  return {
    input: size(messages.slice(compaction?.told ?? 0, split), perPart) + ofText(compaction?.summary ?? "")
      + ofText(summarySystem) + perPart,
    remaining: size(messages.slice(split), 0) + summaryTokens
  }
}

/** What a token budget means for a summary. */
export interface SummaryBudget {
  readonly isAffordable: boolean
  /** The most tokens of the summary; null without a budget. */
  readonly maxOutput: number | null
}

/**
 * The step that hides the older messages (service.md, "Conversation compaction"): told by a summary that goes on from
 * the one before, or, if the model gives none or the token budget has no room for one, left out. It never fails.
 */
export const compactionStep = (
  model: Model["Type"],
  settings: CompactionSettings,
  run: Run,
  { because, fallback, split }: CompactionPlan,
  { isAffordable, maxOutput }: SummaryBudget
): Effect.Effect<Compacted> => {
  const leftOut: Compacted = { kind: "compacted", because, upto: fallback, summary: null, tokens: [0, 0], millis: 0 }
  if (!isAffordable) return Effect.succeed({ ...leftOut, failure: "The token budget has no room for a summary." })
  if (!mayTry(run.compaction, run.messages.length, settings)) return Effect.succeed(leftOut)
  return Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const request = summaryRequest(
      run.messages.slice(run.compaction?.told ?? 0, split),
      run.compaction?.summary ?? null,
      { characters: settings.contextTokens }
    )
    const response = yield* model.generate(
      maxOutput === null ? request : { ...request, maxOutputTokens: maxOutput }
    )
    const millis = Math.round((yield* Clock.currentTimeMillis) - before)
    const tokens: Compacted["tokens"] = [response.inputTokens, response.outputTokens]
    const summary = headOf(response.message.content.trim(), summaryLimit(settings))
    return summary === ""
      ? { ...leftOut, tokens, millis, failure: "The model gave an empty summary." }
      : { ...leftOut, upto: split, summary, tokens, millis }
  }).pipe(Effect.catchAll((error) =>
    Effect.succeed<Compacted>({
      ...leftOut,
      failure: error.message,
      tokens: error._tag === "ContextOverflow" ? [0, 0] : error.tokens ?? [0, 0]
    })
  ))
}

/** A summary takes at most a quarter of the window. */
const summaryLimit = ({ contextTokens }: CompactionSettings): number => Math.min(16_000, contextTokens)
