import { costOf, type ModelPrice } from "@troupe/domain/ModelPrice"
import { Effect, type Tracer } from "effect"
import { inSpan } from "../Runtime/Database/HotPath.ts"
import { type Model, type ModelRequest, tokensOf, type UsedTokens } from "./Model.ts"

/** Names of the GenAI conventions for the providers; a server at an address of one's own has its own name. */
const providerNames = {
  anthropic: "anthropic",
  gemini: "gcp.gemini",
  local: "local",
  offline: "offline",
  openai: "openai"
}

/** The model with a span for each call and its retries, by the GenAI conventions. It has numbers only, no text. */
export const withSpans = (model: Model["Type"], price?: ModelPrice): Model["Type"] => {
  const name = `chat ${model.model}`
  const shared = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerNames[model.provider],
    "gen_ai.request.model": model.model
  }
  const used = (span: Tracer.Span, tokens: UsedTokens | undefined) => {
    if (tokens === undefined) return
    span.attribute("gen_ai.usage.input_tokens", tokens[0])
    span.attribute("gen_ai.usage.output_tokens", tokens[1])
    if (price !== undefined) span.attribute("gen_ai.usage.cost", costOf(price, tokens))
  }
  const traced = (request: ModelRequest, span: Tracer.Span) => {
    if (request.maxOutputTokens !== undefined) span.attribute("gen_ai.request.max_tokens", request.maxOutputTokens)
    return Effect.tapBoth(model.generate(request), {
      onSuccess: ({ inputTokens, outputTokens }) => Effect.sync(() => used(span, [inputTokens, outputTokens])),
      onFailure: (error) =>
        Effect.sync(() => {
          used(span, tokensOf(error))
          span.attribute("error.type", error._tag)
        })
    })
  }
  return {
    ...model,
    generate: (request) =>
      inSpan(
        name,
        () => ({ kind: "client", attributes: shared }),
        (span) => span === null ? model.generate(request) : traced(request, span)
      )
  }
}
