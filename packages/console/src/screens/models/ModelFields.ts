import type { LanguageModel, LanguageModelEntry } from "@troupe/client"

/** What is typed in the form of a model; empty texts are left out. */
export interface ModelFields {
  readonly name: string
  readonly provider: LanguageModelEntry["provider"]
  readonly base_url: string
  readonly model: string
  readonly context_tokens: string
  readonly temperature: string
  readonly input: string
  readonly output: string
}

export const providers = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Google",
  "openai-compatible": "Another server (OpenAI-compatible, such as Ollama or vLLM)"
} as const

export const isProvider = (text: string): text is LanguageModelEntry["provider"] => text in providers

export const emptyModel: ModelFields = {
  name: "main",
  provider: "openai",
  base_url: "",
  model: "",
  context_tokens: "",
  temperature: "",
  input: "",
  output: ""
}

export const fieldsOf = (model: LanguageModel): ModelFields => ({
  name: model.name,
  provider: model.provider === "offline" ? "openai" : model.provider,
  base_url: model.base_url ?? "",
  model: model.model,
  context_tokens: String(model.context_tokens),
  temperature: String(model.temperature),
  input: model.price === null ? "" : String(model.price.input),
  output: model.price === null ? "" : String(model.price.output)
})

const numberIn = (text: string): number | undefined => text.trim() === "" ? undefined : Number(text)

/** Where the model is: what its provider is asked with. */
export const placeOf = ({ base_url, provider }: ModelFields, key: string) => ({
  provider,
  ...(base_url.trim() === "" ? {} : { base_url: base_url.trim() }),
  ...(key.trim() === "" ? {} : { api_key: key.trim() })
})

export const entryOf = (fields: ModelFields, key: string): LanguageModelEntry => {
  const { context_tokens, input, model, output, temperature } = fields
  const [context, warmth, inputPrice, outputPrice] = [context_tokens, temperature, input, output].map(numberIn)
  return {
    ...placeOf(fields, key),
    model: model.trim(),
    ...(context === undefined ? {} : { context_tokens: context }),
    ...(warmth === undefined ? {} : { temperature: warmth }),
    ...(inputPrice === undefined && outputPrice === undefined
      ? {}
      : { price: { input: inputPrice ?? 0, output: outputPrice ?? 0 } })
  }
}

/** Why a text is no number that the service takes. */
export const numberFault = (text: string): string | undefined =>
  text.trim() === "" || Number.isFinite(Number(text)) ? undefined : "Must be a number"
