import { Option, type Redacted } from "effect"

export interface OpenAiCompatible {
  readonly _tag: "gemini" | "local" | "openai"
  readonly baseUrl: string
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly model: string
  readonly embeddingModel: string
  /** How OpenAI's models are called: by `/responses` where it is left out; `auto` finds out at the first call. */
  readonly api?: "auto" | "chat" | "responses"
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
  /** Whether images are sent; by the model's name where it is `auto` or left out. */
  readonly vision?: "auto" | "true" | "false"
  readonly provider: { readonly _tag: "offline" } | RemoteProvider
}

/** The provider of the embeddings; null for the built-in ones. */
export const embeddingProviderOf = (provider: ModelSettings["provider"]): OpenAiCompatible | null => {
  if (provider._tag === "offline") return null
  return provider._tag === "anthropic" ? Option.getOrNull(provider.embeddings) : provider
}

/** A provider's name for people, and its settings: errors name the one to check. */
export const names = {
  anthropic: { title: "Anthropic", key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL", model: "ANTHROPIC_MODEL" },
  gemini: { title: "Google", key: "GEMINI_API_KEY", url: "GEMINI_BASE_URL", model: "GEMINI_MODEL" },
  local: { title: "The local model server", key: "LOCAL_MODEL_API_KEY", url: "LOCAL_MODEL_URL", model: "LOCAL_MODEL" },
  openai: { title: "OpenAI", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL", model: "OPENAI_MODEL" }
} as const

/** Names of models that accept images. */
const seeing: ReadonlyArray<RegExp> = [
  /^(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-[5-9]|o1(?!-mini)|o3(?!-mini)|o4)/,
  /^gemini-/,
  /^claude-(?:3|[a-z]+-\d)/,
  /(?:^|[-_.\d])vl(?:$|[-_.:\d])|vision|llava|moondream|minicpm-v|pixtral|internvl/,
  /^gemma-?3(?!n|:1b|:270m|-1b|-270m)|^llama-?4|^mistral-small-?3\.[12]|^phi-?4-multimodal/
]

/** Google takes no animated images. */
const still = new Set(["image/png", "image/jpeg", "image/webp"])
const known = new Set([...still, "image/gif"])

/** Whether images of this media type may be sent to the provider's model. */
export const seesImages = (
  vision: ModelSettings["vision"],
  provider: Pick<RemoteProvider, "_tag" | "model">,
  mediaType: string
): boolean => {
  if (vision === "false" || !(provider._tag === "gemini" ? still : known).has(mediaType)) return false
  // Gateways write the maker's name before the model's.
  const name = provider.model.toLowerCase().replace(/^.*\//, "")
  return vision === "true" || seeing.some((family) => family.test(name))
}
