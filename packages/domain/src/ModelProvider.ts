/** What is known of a provider of models by its name. */
export interface ModelProvider {
  readonly title: string
  /** As people choose it for a model that they enter; the title if left out. */
  readonly choice?: string
  /** Its name in the GenAI conventions. */
  readonly spanName: string
  /** The adapter in `src/Model` that speaks with it. */
  readonly protocol: "anthropic" | "openai"
  /** Whose own API tells of one model by its name. Other hosts may lack that, or take names that they do not list. */
  readonly ownHost: string | null
  /** Its address, where none is set; empty for a server of one's own. */
  readonly usualUrl: string
  /** The context window of its default model, or the usual one. */
  readonly contextTokens: number
  /** Where none is set; 1 if left out. */
  readonly temperature?: number
  /** Texts that a call for embeddings may hold. */
  readonly embeddingBatch?: number
  readonly refusesAnimated?: true
  /** It accepts a part of JSON Schema only. */
  readonly needsPlainSchema?: true
  /** Thinking never comes in the text of an answer. */
  readonly separatesThinking?: true
  /** It has `/responses`, which takes no output limit below 16 tokens, beside `/chat/completions`. */
  readonly hasResponses?: true
  /** A server of one's own, which may lack the model or want no key. */
  readonly isOwnServer?: true
}

/** A provider whose settings are a key, an address and models, named after it: `ANTHROPIC_API_KEY`. */
export interface KeyedProvider extends ModelProvider {
  /** The models where none are set; without `embeddingModel` it makes no embeddings. */
  readonly model: string
  readonly embeddingModel?: string
}

/** In the order in which they are chosen, after those with settings of their own (`src/Runtime/Settings/ModelProviders.ts`). */
const keyed = {
  anthropic: {
    title: "Anthropic",
    spanName: "anthropic",
    protocol: "anthropic",
    ownHost: "api.anthropic.com",
    usualUrl: "https://api.anthropic.com/v1",
    contextTokens: 200_000,
    model: "claude-sonnet-4-5"
  }
} as const satisfies Readonly<Record<string, KeyedProvider>>

/** In the order in which people choose among them. */
const providers = {
  openai: {
    title: "OpenAI",
    spanName: "openai",
    protocol: "openai",
    ownHost: "api.openai.com",
    usualUrl: "https://api.openai.com/v1",
    contextTokens: 128_000,
    hasResponses: true
  },
  ...keyed,
  gemini: {
    title: "Google",
    spanName: "gcp.gemini",
    protocol: "openai",
    ownHost: "generativelanguage.googleapis.com",
    usualUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    contextTokens: 1_000_000,
    embeddingBatch: 100,
    refusesAnimated: true,
    needsPlainSchema: true,
    separatesThinking: true
  },
  local: {
    title: "The local model server",
    choice: "Another server (OpenAI-compatible, such as Ollama or vLLM)",
    // A server at an address of one's own has its own name.
    spanName: "local",
    protocol: "openai",
    ownHost: null,
    usualUrl: "",
    contextTokens: 32_768,
    temperature: 0,
    isOwnServer: true
  }
} as const satisfies Readonly<Record<string, ModelProvider>>

export type ProviderName = keyof typeof providers
export type KeyedProviderName = keyof typeof keyed

export const modelProviders: Readonly<Record<ProviderName, ModelProvider>> = providers
export const keyedProviders: Readonly<Record<KeyedProviderName, KeyedProvider>> = keyed

/** The provider of a model that people enter, as they name it: a server of one's own is any compatible one. */
export type StoredModelProvider = Exclude<ProviderName, "local"> | "openai-compatible"

export const storedNameOf = (name: ProviderName): StoredModelProvider => name === "local" ? "openai-compatible" : name

export const providerNameOf = (stored: StoredModelProvider): ProviderName =>
  stored === "openai-compatible" ? "local" : stored

const isProvider = (name: string): name is ProviderName => Object.hasOwn(providers, name)

export const storedModelProviders: ReadonlyArray<StoredModelProvider> = Object.keys(providers)
  .filter(isProvider)
  .map(storedNameOf)

/** Its name where people choose among providers. */
export const choiceOf = (stored: StoredModelProvider): string => {
  const { choice, title } = modelProviders[providerNameOf(stored)]
  return choice ?? title
}
