import type * as HttpClient from "@effect/platform/HttpClient"
import { Layer } from "effect"
import * as EmbeddingCache from "../Model/EmbeddingCache.ts"
import { EmbeddingCalls } from "../Model/EmbeddingCalls.ts"
import type { Embeddings } from "../Model/Embeddings.ts"
import * as LanguageModels from "../Model/LanguageModels.ts"
import type { Model } from "../Model/Model.ts"
import * as ModelMetrics from "../Model/ModelMetrics.ts"
import type { ModelSettings } from "../Model/ModelSettings.ts"
import * as Retries from "../Model/Retries.ts"

/** The model and the embeddings of its provider, with retries, metrics and a cache around them. */
export const layer = (
  settings: ModelSettings & Retries.RetryPolicy
): Layer.Layer<EmbeddingCalls | Embeddings | Model, never, HttpClient.HttpClient> =>
  Layer.merge(ModelMetrics.layer, EmbeddingCache.layer.pipe(Layer.provideMerge(EmbeddingCalls.layer))).pipe(
    Layer.provide(Retries.layer(settings)),
    Layer.provide(LanguageModels.layer(settings))
  )
