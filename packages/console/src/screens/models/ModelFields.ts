import type { LanguageModel, LanguageModelEntry } from "@troupe/client"
import { choiceOf, storedModelProviders } from "@troupe/client/ModelProvider"

/** What is typed in the form of a model; empty texts are left out. */
export interface ModelFields {
  readonly name: string
  readonly provider: Provider
  readonly base_url: string
  readonly model: string
  readonly context_tokens: string
  readonly temperature: string
  readonly input: string
  readonly output: string
  readonly cached_input: string
}

type Provider = LanguageModelEntry["provider"]

export const providers: ReadonlyArray<Provider> = storedModelProviders

export const providerTitle = (provider: Provider): string =>
  provider === "openai-compatible"
    ? "Another server: your company's, Ollama, vLLM (OpenAI-compatible)"
    : choiceOf(provider)

export const isProvider = (text: string): text is Provider => providers.some((provider) => provider === text)

export const emptyModel: ModelFields = {
  name: "main",
  provider: "openai",
  base_url: "",
  model: "",
  context_tokens: "",
  temperature: "",
  input: "",
  output: "",
  cached_input: ""
}

/** What was set for the model; what follows its provider stays empty, so that saving does not fix it. */
export const fieldsOf = ({ overrides, ...model }: LanguageModel): ModelFields => {
  const given = (field: LanguageModel["overrides"][number], text: unknown) =>
    overrides.includes(field) ? String(text ?? "") : ""
  return {
    name: model.name,
    provider: model.provider === "offline" ? "openai" : model.provider,
    base_url: given("base_url", model.base_url),
    model: model.model,
    context_tokens: given("context_tokens", model.context_tokens),
    temperature: given("temperature", model.temperature),
    input: given("price", model.price?.input),
    output: given("price", model.price?.output),
    cached_input: given("price", model.price?.cached_input)
  }
}

const numberIn = (text: string): number | undefined => text.trim() === "" ? undefined : Number(text)

/** Where the model is: what its provider is asked with. */
export const placeOf = ({ base_url, provider }: ModelFields, key: string) => ({
  provider,
  ...(base_url.trim() === "" ? {} : { base_url: base_url.trim() }),
  ...(key.trim() === "" ? {} : { api_key: key.trim() })
})

const isSame = (one: ModelFields, other: ModelFields, names: ReadonlyArray<keyof ModelFields>): boolean =>
  names.every((name) => one[name] === other[name])

/** `given`: what the form had at first. The price of another model is not kept, unless it was typed anew. */
export const entryOf = (fields: ModelFields, key: string, given = emptyModel): LanguageModelEntry => {
  const { cached_input, context_tokens, input, model, output, temperature } = fields
  const [context, warmth, inputPrice, outputPrice, cachedPrice] = [
    context_tokens,
    temperature,
    input,
    output,
    cached_input
  ].map(numberIn)
  const isOfOther = isSame(fields, given, ["input", "output", "cached_input"])
    && !isSame(fields, given, ["provider", "base_url", "model"])
  return {
    ...placeOf(fields, key),
    model: model.trim(),
    ...(context === undefined ? {} : { context_tokens: context }),
    ...(warmth === undefined ? {} : { temperature: warmth }),
    ...(isOfOther || inputPrice === undefined && outputPrice === undefined && cachedPrice === undefined ? {} : {
      price: {
        input: inputPrice ?? 0,
        output: outputPrice ?? 0,
        ...(cachedPrice === undefined ? {} : { cached_input: cachedPrice })
      }
    })
  }
}
