import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Layer, Option } from "effect"
import { EmbeddingCalls, Embeddings } from "../Model/Embeddings.ts"
import { embeddingsLayer } from "../Model/LanguageModels.ts"
import type { Model } from "../Model/Model.ts"
import { embeddingsWithRetries } from "../Model/ModelCalls.ts"
import { ModelRegistry, type RegistryOptions } from "../Model/ModelRegistry.ts"
import type { StoredModels } from "../Model/StoredModels.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"

/** The models, and the embeddings of the provider of the settings, with retries, metrics and a cache around them. */
export const layer = (
  options: RegistryOptions,
  storedHttp?: Layer.Layer<HttpClient.HttpClient>
): Layer.Layer<
  EmbeddingCalls | Embeddings | Model | ModelRegistry,
  never,
  HttpClient.HttpClient | StoredModels
> =>
  Embeddings.layerCached.pipe(
    Layer.provideMerge(EmbeddingCalls.layer),
    Layer.provide(
      Layer.effect(Embeddings, Effect.map(Embeddings, (embeddings) => embeddingsWithRetries(embeddings, options)))
    ),
    Layer.provide(embeddingsLayer(options)),
    Layer.merge(ModelRegistry.layer(options, storedHttp))
  )

/** MAX_COST_PER_DAY at the time. */
export const spendingOf = ({ stored }: Settings["Type"]) => ({
  get maxCostPerDay() {
    return Option.getOrNull(stored.current().model.maxCostPerDay)
  }
})
