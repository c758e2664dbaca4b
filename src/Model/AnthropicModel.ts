import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Layer, Option } from "effect"
import { fromLanguageModel } from "./LanguageModelAdapter.ts"
import { Model } from "./Model.ts"
import type { ModelSettings, RemoteProvider } from "./ModelSettings.ts"
import { failOnStatus, probeOf } from "./ProviderCalls.ts"

export const modelLayer = (
  settings: ModelSettings,
  provider: RemoteProvider
): Layer.Layer<Model, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model,
    Effect.zipWith(AnthropicClient.AnthropicClient, HttpClient.HttpClient, (client, http) =>
      fromLanguageModel({
        settings,
        provider,
        maxOutputTokens: 32_000,
        languageModel: ({ maxOutputTokens, temperature }) =>
          AnthropicLanguageModel.make({
            model: provider.model,
            config: { max_tokens: maxOutputTokens, ...(temperature === undefined ? {} : { temperature }) }
          }).pipe(Effect.provideService(AnthropicClient.AnthropicClient, client)),
        cacheOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
        probe: probeOf(provider, http)
      }))
  ).pipe(Layer.provide(AnthropicClient.layer({
    // The client adds the version to each path itself.
    apiUrl: provider.baseUrl.replace(/\/v1\/?$/, ""),
    apiKey: Option.getOrUndefined(provider.apiKey),
    transformClient: failOnStatus
  })))
