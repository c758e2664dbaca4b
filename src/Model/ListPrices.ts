import { type ModelPrice, type ModelPrices, priceOf } from "@troupe/domain/ModelPrice"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Record } from "effect"
import type { RemoteProvider } from "./ModelSettings.ts"
import { offlineModel } from "./Offline.ts"

type Row = readonly [input: number, output: number, cachedInput?: number]

/**
 * The list prices of well-known models at their makers, in US dollars per million tokens: input, output, cached input. Read on
 * 2026-07-24 from `model_prices_and_context_window.json` of LiteLLM, as https://github.com/Wei-Shaw/model-price-repo mirrors it
 * (commit f9ff14734f6203c490573cb1e2ae8fdac7a52a41). Of a price that depends on the length of the input, it is that of short ones.
 */
const table: Readonly<Record<"anthropic" | "gemini" | "openai", Readonly<Record<string, Row>>>> = {
  anthropic: {
    "claude-3-haiku-20240307": [0.25, 1.25, 0.03],
    "claude-3-7-sonnet-20250219": [3, 15, 0.3],
    "claude-sonnet-4-20250514": [3, 15, 0.3],
    "claude-opus-4-20250514": [15, 75, 1.5],
    "claude-opus-4-1": [15, 75, 1.5],
    "claude-haiku-4-5": [1, 5, 0.1],
    "claude-sonnet-4-5": [3, 15, 0.3],
    "claude-opus-4-5": [5, 25, 0.5],
    "claude-sonnet-4-6": [3, 15, 0.3],
    "claude-opus-4-6": [5, 25, 0.5],
    "claude-opus-4-7": [5, 25, 0.5],
    "claude-opus-4-8": [5, 25, 0.5],
    "claude-sonnet-5": [2, 10, 0.2],
    "claude-opus-5": [5, 25, 0.5]
  },
  openai: {
    "gpt-3.5-turbo": [0.5, 1.5],
    "gpt-4-turbo": [10, 30],
    "gpt-4o": [2.5, 10, 1.25],
    "gpt-4o-2024-05-13": [5, 15],
    "gpt-4o-mini": [0.15, 0.6, 0.075],
    "gpt-4.1": [2, 8, 0.5],
    "gpt-4.1-mini": [0.4, 1.6, 0.1],
    "gpt-4.1-nano": [0.1, 0.4, 0.025],
    "gpt-5": [1.25, 10, 0.125],
    "gpt-5-mini": [0.25, 2, 0.025],
    "gpt-5-nano": [0.05, 0.4, 0.005],
    "gpt-5-pro": [15, 120],
    "gpt-5-codex": [1.25, 10, 0.125],
    "gpt-5-chat": [1.25, 10, 0.125],
    "gpt-5.1": [1.25, 10, 0.125],
    "gpt-5.1-codex": [1.25, 10, 0.125],
    "gpt-5.1-codex-max": [1.25, 10, 0.125],
    "gpt-5.1-codex-mini": [0.25, 2, 0.025],
    "gpt-5.2": [1.75, 14, 0.175],
    "gpt-5.2-codex": [1.75, 14, 0.175],
    "gpt-5.2-pro": [21, 168],
    "gpt-5.3-codex": [1.75, 14, 0.175],
    "gpt-5.4": [2.5, 15, 0.25],
    "gpt-5.4-mini": [0.75, 4.5, 0.075],
    "gpt-5.4-nano": [0.2, 1.25, 0.02],
    "gpt-5.4-pro": [30, 180, 3],
    "gpt-5.5": [5, 30, 0.5],
    "gpt-5.5-pro": [30, 180, 3],
    "gpt-5.6": [5, 30, 0.5],
    o1: [15, 60, 7.5],
    "o1-pro": [150, 600],
    o3: [2, 8, 0.5],
    "o3-mini": [1.1, 4.4, 0.55],
    "o3-pro": [20, 80],
    "o4-mini": [1.1, 4.4, 0.275]
  },
  gemini: {
    "gemini-2.0-flash": [0.1, 0.4, 0.025],
    "gemini-2.0-flash-lite": [0.075, 0.3, 0.01875],
    "gemini-2.5-flash": [0.3, 2.5, 0.03],
    "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
    "gemini-2.5-pro": [1.25, 10, 0.125],
    "gemini-3-flash-preview": [0.5, 3, 0.05],
    "gemini-3-pro-preview": [2, 12, 0.2],
    "gemini-3.1-flash-lite": [0.25, 1.5, 0.025],
    "gemini-3.1-pro-preview": [2, 12, 0.2],
    "gemini-3.5-flash": [1.5, 9, 0.15],
    "gemini-3.5-flash-lite": [0.3, 2.5, 0.03],
    "gemini-3.6-flash": [1.5, 7.5, 0.15]
  }
}

const prices: Readonly<Record<string, ModelPrices>> = Record.map(
  table,
  Record.map(([input, output, cached_input]): ModelPrice => ({
    input,
    output,
    ...(cached_input === undefined ? {} : { cached_input })
  }))
)

/** The list price of a model at its maker; undefined for an unknown one, and at another host, whose price is its own. */
const listPriceOf = (
  { _tag, baseUrl, model }: Pick<RemoteProvider, "_tag" | "baseUrl" | "model">
): ModelPrice | undefined =>
  URL.canParse(baseUrl) && new URL(baseUrl).host === modelProviders[_tag].ownHost
    ? priceOf(prices[_tag] ?? {}, model)
    : undefined

/** The price of the provider's model: the given one, else the list price of its maker. */
export const knownPriceOf = (
  provider: { readonly _tag: "offline" } | RemoteProvider,
  given: ModelPrices
): ModelPrice | undefined =>
  provider._tag === "offline"
    ? priceOf(given, offlineModel.model)
    : priceOf(given, provider.model) ?? listPriceOf(provider)
