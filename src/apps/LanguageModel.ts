import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Layer, Option } from "effect"
import { Agents } from "../Agent/Definition/Agents.ts"
import { LargestIterations } from "../Agent/LargestIterations.ts"
import { EmbeddingCalls, Embeddings } from "../Model/Embeddings.ts"
import { embeddingsLayer } from "../Model/LanguageModels.ts"
import type { Model } from "../Model/Model.ts"
import { embeddingsWithRetries } from "../Model/ModelCalls.ts"
import { ModelRegistry, type RegistryOptions } from "../Model/ModelRegistry.ts"
import { KnownModels, ModelUses } from "../Model/Models.ts"
import type { StoredModels } from "../Model/StoredModels.ts"
import type { Settings, SettingValues } from "../Runtime/Settings/Settings.ts"

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

export const spendingOf = ({ model }: SettingValues) => ({ maxCostPerDay: Option.getOrNull(model.maxCostPerDay) })

export const largestIterations = (stored: Settings["Type"]["stored"]) =>
  Layer.succeed(LargestIterations, () => stored.current().agent.maxIterations)

/** What the models, the settings and the agents know of each other. */
export const usesOf = ({ stored }: Settings["Type"]) =>
  Layer.mergeAll(
    largestIterations(stored),
    Layer.effect(
      ModelUses,
      Effect.map(Agents, ({ list }) => (name) =>
        Effect.map(list, (agents) => [
          ...Option.contains(stored.current().agent.summaryModel, name) ? ["SUMMARY_MODEL"] : [],
          ...agents.flatMap((agent) =>
            agent.model === name || agent.summary_model === name ? [`the agent ${agent.name}`] : []
          )
        ]))
    ),
    Layer.effect(
      KnownModels,
      Effect.map(ModelRegistry, ({ models }) => () => ["offline", ...models().map(({ name }) => name)])
    )
  )
