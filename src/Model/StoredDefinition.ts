import type { ModelPrices } from "@troupe/domain/ModelPrice"
import { modelProviders, providerNameOf, type StoredModelProvider } from "@troupe/domain/ModelProvider"
import { Either, Option } from "effect"
import { contextTokensOf, temperatureOf } from "../Runtime/Settings/ModelProviders.ts"
import { knownPriceOf } from "./ListPrices.ts"
import { ModelRejected } from "./Model.ts"
import type { ModelSettings, RemoteProvider } from "./ModelSettings.ts"
import type { ModelDefinition } from "./RegisteredModel.ts"
import type { StoredModel, StoredModels } from "./StoredModels.ts"

/** The address of the provider itself; empty: there is none. */
export const usualAddress = (provider: StoredModelProvider): string => modelProviders[providerNameOf(provider)].usualUrl

const originOf = (url: string): string => URL.canParse(url) ? new URL(url).origin : url

interface DefinitionOptions extends ModelSettings {
  readonly prices: ModelPrices
  readonly givenTemperature?: Option.Option<number>
}

/** A stored model by values, with what it leaves out. */
export const definitionOf = (
  name: string,
  stored: StoredModel,
  { givenTemperature = Option.none(), prices, provider: ofSettings, vision }: DefinitionOptions,
  { open }: Pick<StoredModels["Type"], "open">
): ModelDefinition => {
  const tag = providerNameOf(stored.provider)
  const baseUrl = stored.base_url ?? usualAddress(stored.provider)
  const key = open(name, stored.key)
  const isSameOwner = ofSettings._tag === tag && originOf(ofSettings.baseUrl) === originOf(baseUrl)
  const { title } = modelProviders[tag]
  const ofModel = name === "" ? "" : ` of the model "${name}"`
  const provider: RemoteProvider = {
    _tag: tag,
    baseUrl,
    apiKey: Either.getOrElse(key, Option.none),
    model: stored.model,
    api: "auto",
    names: {
      title: stored.provider === "openai-compatible" ? `The server${ofModel}` : title,
      key: `the key${ofModel}`,
      url: `the address${ofModel}`,
      model: `the provider's name${ofModel}`
    },
    ...(isSameOwner ? {} : { owner: `${tag} ${originOf(baseUrl)}` })
  }
  return {
    name,
    settings: {
      provider,
      temperature: stored.temperature ?? Option.getOrElse(givenTemperature, () => temperatureOf(tag)),
      ...(vision === undefined ? {} : { vision })
    },
    contextTokens: stored.context_tokens ?? contextTokensOf(tag),
    price: stored.price ?? knownPriceOf(provider, prices),
    isOfSettings: false,
    refusal: Either.isRight(key) ? null : new ModelRejected({
      provider: tag,
      status: 401,
      wrong: "key",
      reason:
        `The key of the model "${name}" can't be read with this SECRETS_KEY. Set the one that it was stored with, or `
        + "give the key again."
    })
  }
}
