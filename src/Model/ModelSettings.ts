import { modelProviders, type ProviderName } from "@troupe/domain/ModelProvider"
import { Option, type Redacted } from "effect"
import { providerSettings } from "../Runtime/Settings/ModelProviders.ts"

/** A model at a provider, by values: those of the settings, or of anything else that names a model. */
export interface RemoteProvider {
  readonly _tag: ProviderName
  readonly baseUrl: string
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly model: string
  /** Left out where the provider makes no embeddings. */
  readonly embeddingModel?: string
  /** Who makes them instead; none: the built-in ones. */
  readonly embeddings?: Option.Option<RemoteProvider>
  /** How a model with `/responses` is called: by it where it is left out; `auto` finds out at the first call. */
  readonly api?: "auto" | "chat" | "responses"
  /** What errors call it; by the settings of the provider where it is left out. */
  readonly names?: ProviderNames
  /** Whose opaque parts it accepts, where those of another address of the same provider are not its own. */
  readonly owner?: string
}

/** Opaque parts of messages go back to their owner and its model, and to no other. */
export const ownerOf = ({ _tag, owner }: RemoteProvider): string => owner ?? _tag

/** A provider's name for people, and the names of what to check. */
export interface ProviderNames {
  readonly title: string
  readonly key: string
  readonly url: string
  readonly model: string
}

export interface ModelSettings {
  readonly temperature: number
  /** Whether images are sent; by the model's name where it is `auto` or left out. */
  readonly vision?: "auto" | "true" | "false"
  readonly provider: { readonly _tag: "offline" } | RemoteProvider
}

export interface EmbeddingProvider extends RemoteProvider {
  readonly embeddingModel: string
}

/** The provider of the embeddings; null for the built-in ones. */
export const embeddingProviderOf = (provider: ModelSettings["provider"]): EmbeddingProvider | null => {
  if (provider._tag === "offline") return null
  const { embeddingModel, embeddings = Option.none() } = provider
  return embeddingModel === undefined
    ? Option.getOrNull(Option.map(embeddings, embeddingProviderOf))
    : { ...provider, embeddingModel }
}

export const namesOf = ({ _tag, names }: RemoteProvider): ProviderNames => {
  if (names !== undefined) return names
  const { apiKey, baseUrl, model } = providerSettings[_tag]
  return {
    title: modelProviders[_tag].title,
    key: apiKey.declaration.name,
    url: baseUrl.declaration.name,
    model: model.declaration.name
  }
}

/** Names of models that accept images. */
const seeing: ReadonlyArray<RegExp> = [
  /^(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-[5-9]|o1(?!-mini)|o3(?!-mini)|o4)/,
  /^gemini-/,
  /^claude-(?:3|[a-z]+-\d)/,
  /(?:^|[-_.\d])vl(?:$|[-_.:\d])|vision|llava|moondream|minicpm-v|pixtral|internvl/,
  /^gemma-?3(?!n|:1b|:270m|-1b|-270m)|^llama-?4|^mistral-small-?3\.[12]|^phi-?4-multimodal/
]

const still = new Set(["image/png", "image/jpeg", "image/webp"])
const known = new Set([...still, "image/gif"])

/** Whether images of this media type may be sent to the provider's model. */
export const seesImages = (
  vision: ModelSettings["vision"],
  provider: Pick<RemoteProvider, "_tag" | "model">,
  mediaType: string
): boolean => {
  if (vision === "false" || !(modelProviders[provider._tag].refusesAnimated ? still : known).has(mediaType)) {
    return false
  }
  // Gateways write the maker's name before the model's.
  const name = provider.model.toLowerCase().replace(/^.*\//, "")
  return vision === "true" || seeing.some((family) => family.test(name))
}
