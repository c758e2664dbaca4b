import { Option, type Redacted } from "effect"

export interface OpenAiCompatible {
  readonly _tag: "gemini" | "local" | "openai"
  readonly baseUrl: string
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly model: string
  readonly embeddingModel: string
}

export interface Anthropic {
  readonly _tag: "anthropic"
  readonly baseUrl: string
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly model: string
  readonly embeddings: Option.Option<OpenAiCompatible>
}

export type RemoteProvider = Anthropic | OpenAiCompatible

export interface ModelSettings {
  readonly temperature: number
  /** Whether pictures are sent; by the model's name where it is `auto` or left out. */
  readonly vision?: "auto" | "true" | "false"
  readonly provider: { readonly _tag: "offline" } | RemoteProvider
}

/** Where the embeddings of a provider come from; they are built in if it is null. */
export const embeddingProviderOf = (provider: ModelSettings["provider"]): OpenAiCompatible | null => {
  if (provider._tag === "offline") return null
  return provider._tag === "anthropic" ? Option.getOrNull(provider.embeddings) : provider
}

/** What a person calls the provider, and the settings that configure it: errors name the fix. */
export const names = {
  anthropic: { title: "Anthropic", key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL", model: "ANTHROPIC_MODEL" },
  gemini: { title: "Google", key: "GEMINI_API_KEY", url: "GEMINI_BASE_URL", model: "GEMINI_MODEL" },
  local: { title: "The local model server", key: "LOCAL_MODEL_URL", url: "LOCAL_MODEL_URL", model: "LOCAL_MODEL" },
  openai: { title: "OpenAI", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL", model: "OPENAI_MODEL" }
} as const
