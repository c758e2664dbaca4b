import type * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import type * as Tool from "@effect/ai/Tool"
import { Effect, Option } from "effect"
import type { Answer } from "./Answer.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { brokenOff, type CallFailure, failureInside, failureOf } from "./ProviderFailure.ts"

export type Part = Response.StreamPart<Record<string, Tool.Any>>

const endings: Readonly<Record<Response.FinishReason, Answer["ending"]>> = {
  "stop": "complete",
  "tool-calls": "complete",
  "length": "cut",
  "content-filter": "filtered",
  "pause": "unknown",
  "error": "unknown",
  "other": "unknown",
  "unknown": "unknown"
}

/** Anthropic counts apart what its cache holds or takes in. */
const inputTokensOf = ({ metadata, usage }: Pick<Response.FinishPart, "metadata" | "usage">): number | undefined => {
  const counts = metadata.anthropic?.usage
  return usage.inputTokens === undefined
    ? undefined
    : usage.inputTokens + (counts?.cache_read_input_tokens ?? 0) + (counts?.cache_creation_input_tokens ?? 0)
}

export const gatherParts = (provider: RemoteProvider) => {
  let text = ""
  const calls: Array<{ id: string; name: string; arguments: unknown }> = []
  let finish: Pick<Response.FinishPart, "metadata" | "reason" | "usage"> | null = null
  let failure: CallFailure | null = null
  let isUnreadable = false

  const callOf = (id: string) => calls.findLast((call) => call.id === id)

  return {
    take: (part: Part): string => {
      switch (part.type) {
        case "text-delta":
          text += part.delta
          return part.delta
        case "tool-params-start":
          calls.push({ id: part.id, name: part.name, arguments: "" })
          break
        case "tool-params-delta": {
          const call = callOf(part.id)
          if (call !== undefined) call.arguments = `${call.arguments}${part.delta}`
          break
        }
        case "tool-call":
          if (callOf(part.id) === undefined) calls.push({ id: part.id, name: part.name, arguments: part.params })
          break
        case "finish":
          finish = part
          break
        case "error":
          failure = failureInside(provider, part.error)
      }
      return ""
    },
    /**
     * The package refuses unknown tools and arguments that are not JSON; the calls so far are then the answer, so that
     * the model is told.
     */
    failed: (error: AiError.AiError): Effect.Effect<void, CallFailure> => {
      const isAboutCalls = error._tag === "MalformedOutput" && error.module.endsWith("LanguageModel")
      if (!isAboutCalls || calls.length === 0) return failureOf(provider, error)
      isUnreadable = true
      return Effect.void
    },
    answer: (): Effect.Effect<Answer, CallFailure> => {
      if (failure !== null) return Effect.fail(failure)
      if (finish === null && !isUnreadable) return Effect.fail(brokenOff(provider))
      return Effect.succeed({
        text,
        refusal: "",
        calls,
        ending: finish === null ? "complete" : endings[finish.reason],
        opaque: Option.none(),
        inputTokens: finish === null ? undefined : inputTokensOf(finish),
        outputTokens: finish?.usage.outputTokens
      })
    }
  }
}
