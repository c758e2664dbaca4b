import type { Message } from "@troupe/domain/Message"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { ToolSet } from "../Model/Model.ts"
import { memoized } from "../Runtime/Cache.ts"

export interface TokenCounter {
  readonly ofText: (text: string) => number
  /** Cached by message, because a message is part of every later call. */
  readonly ofMessage: (message: Message) => number
  readonly ofTools: (set: ToolSet) => number
}

const perMessage = 4

export const tokensPerImage = 1_000

/** The average of UTF-8 text; single texts differ by up to a half. */
const bytesPerToken = 4

const roughTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

const makeCounter = (ofText: (text: string) => number): TokenCounter => {
  const ofCalls = (calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }>): number =>
    calls.reduce((sum, call) => sum + perMessage + ofText(call.name) + ofText(call.arguments), 0)
  // Encrypted reasoning: only its size is related to its tokens.
  const ofOpaque = (opaque: unknown): number => opaque === undefined ? 0 : roughTokens(JSON.stringify(opaque))
  return {
    ofText,
    ofMessage: memoized((message) =>
      perMessage + ofText(message.content)
      + (message.role === "assistant" ? ofCalls(message.tool_calls) + ofOpaque(message.opaque) : 0)
      + (message.role === "user" ? tokensPerImage * (message.images?.length ?? 0) : 0)
    ),
    ofTools: memoized((set) => set.tools.length === 0 ? 0 : ofText(JSON.stringify(set.tools)))
  }
}

export const roughCounter: TokenCounter = makeCounter(roughTokens)

/** The rough size of what comes with each call besides the conversation. */
export const overheadOf = (system: string, tools: ToolSet): number =>
  roughCounter.ofText(system) + roughCounter.ofTools(tools)

/** The tokenizer takes quadratic time for a long run without a word boundary, so it gets short pieces. */
const maxPiece = 256

/** Before the last blank, if there is one. */
const endOfPiece = (text: string, start: number): number => {
  const end = start + maxPiece
  if (end >= text.length) return text.length
  const blank = text.lastIndexOf(" ", end)
  if (blank > start + maxPiece / 2) return blank
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end + 1 : end
}

/** The o200k_base tokenizer of OpenAI, loaded at first use because it takes 0.3 s and 60 MB. */
export const loadTokenizer: Effect.Effect<TokenCounter> = Effect.map(
  Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
  ({ countTokens }) => {
    const asText = { disallowedSpecial: new Set<string>() }
    return makeCounter((text) => {
      let tokens = 0
      for (let start = 0; start < text.length;) {
        const end = endOfPiece(text, start)
        tokens += countTokens(text.slice(start, end), asText)
        start = end
      }
      return tokens
    })
  }
)
