import type * as HttpClient from "@effect/platform/HttpClient"
import { Layer } from "effect"
import { EmbeddingCalls, Embeddings } from "../Model/Embeddings.ts"
import * as LanguageModels from "../Model/LanguageModels.ts"
import type { Model } from "../Model/Model.ts"
import * as ModelCalls from "../Model/ModelCalls.ts"
import type { ModelSettings } from "../Model/ModelSettings.ts"

/** The model and the embeddings of its provider, with retries, metrics and a cache around them. */
export const layer = (
  settings: ModelSettings & ModelCalls.RetryPolicy
): Layer.Layer<EmbeddingCalls | Embeddings | Model, never, HttpClient.HttpClient> =>
  Embeddings.layerCached.pipe(
    Layer.provideMerge(EmbeddingCalls.layer),
    Layer.provideMerge(ModelCalls.layer(settings)),
    Layer.provide(LanguageModels.layer(settings))
  )
