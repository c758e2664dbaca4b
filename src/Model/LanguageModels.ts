import type * as HttpClient from "@effect/platform/HttpClient"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Effect, Layer } from "effect"
import { Embeddings } from "./Embeddings.ts"
import { Model } from "./Model.ts"
import { embeddingProviderOf, type ModelSettings } from "./ModelSettings.ts"
import { offlineModel } from "./Offline.ts"
import { offlineEmbeddings } from "./OfflineEmbeddings.ts"

// The client of Anthropic costs 0.2 s and 40 MB at import, so only the adapter that is used is loaded.
const openAi = Effect.promise(() => import("./OpenAiModel.ts"))
const adapters = { anthropic: Effect.promise(() => import("./AnthropicModel.ts")), openai: openAi }

/** The model that the settings choose, as it is: each call is tried once. */
export const modelLayer = (settings: ModelSettings): Layer.Layer<Model, never, HttpClient.HttpClient> => {
  const { provider } = settings
  if (provider._tag === "offline") return Layer.succeed(Model, offlineModel)
  return Layer.unwrapEffect(
    Effect.map(adapters[modelProviders[provider._tag].protocol], ({ modelLayer }) => modelLayer(settings, provider))
  )
}

export const embeddingsLayer = (
  { provider }: ModelSettings
): Layer.Layer<Embeddings, never, HttpClient.HttpClient> => {
  const from = embeddingProviderOf(provider)
  return from === null
    ? Layer.succeed(Embeddings, offlineEmbeddings)
    : Layer.unwrapEffect(Effect.map(openAi, ({ embeddingsLayer }) => embeddingsLayer(from)))
}
