import { costOf, type ModelPrice } from "@troupe/domain/ModelPrice"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Effect, type Tracer } from "effect"
import { inSpan } from "../Runtime/HotPath.ts"
import { type LanguageModel, type ModelRequest, tokensOf, type UsedTokens } from "./Model.ts"
import { answerContent, requestContent } from "./SpanContent.ts"

export interface SpanOptions {
  readonly price?: ModelPrice | undefined
  /** Whether spans contain what was sent to the model and what it wrote; without it they have numbers only. */
  readonly recordsContent: boolean
}

/** The model with a span for each call and its retries, by the GenAI conventions. */
export const withSpans = (model: LanguageModel, { price, recordsContent }: SpanOptions): LanguageModel => {
  const name = `chat ${model.model}`
  const shared = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": model.provider === "offline" ? model.provider : modelProviders[model.provider].spanName,
    "gen_ai.request.model": model.model
  }
  const used = (span: Tracer.Span, tokens: UsedTokens | undefined, cached?: number) => {
    if (tokens === undefined) return
    span.attribute("gen_ai.usage.input_tokens", tokens[0])
    span.attribute("gen_ai.usage.output_tokens", tokens[1])
    if (price !== undefined) span.attribute("gen_ai.usage.cost", costOf(price, tokens, cached))
  }
  const add = (span: Tracer.Span, attributes: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
  }
  const traced = (request: ModelRequest, span: Tracer.Span) => {
    if (request.maxOutputTokens !== undefined) span.attribute("gen_ai.request.max_tokens", request.maxOutputTokens)
    const isRecorded = recordsContent && span.sampled
    if (isRecorded) add(span, requestContent(request))
    return Effect.tapBoth(model.generate(request), {
      onSuccess: (response) =>
        Effect.sync(() => {
          used(span, [response.inputTokens, response.outputTokens], response.cachedTokens)
          if (isRecorded) add(span, answerContent(response))
        }),
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
