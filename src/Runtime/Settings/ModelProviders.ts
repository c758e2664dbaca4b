import { Config, Option, Record as Records, type Redacted } from "effect"
import { optional, required, secret, type Setting, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

/** What is known of a provider of models by its name, with its settings. */
interface ModelProvider {
  readonly title: string
  /** Its name in the GenAI conventions. */
  readonly spanName: string
  /** The adapter in `Model` that speaks with it. */
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
  readonly settings: Readonly<Record<"apiKey" | "baseUrl" | "model", Setting<unknown>>>
  /** Where it is true, the provider is chosen before all below it; without it, where it is set up. */
  readonly flag: Setting<boolean> | null
  /** What must be set where it is chosen. */
  readonly needed: Setting<Option.Option<unknown>>
  readonly given: Config.Config<GivenProvider>
}

/** The values of a provider's settings. */
interface GivenProvider {
  readonly isSetUp: boolean
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly baseUrl: string
  readonly model: string
  /** Left out where it makes no embeddings. */
  readonly embeddingModel?: string
  /** How it is called where it has more than one API. */
  readonly api?: "auto" | "chat" | "responses"
}

const openAiUrl = "https://api.openai.com/v1"
const geminiUrl = "https://generativelanguage.googleapis.com/v1beta/openai"
const anthropicUrl = "https://api.anthropic.com/v1"

const gemini = {
  isEnabled: setting("USE_GEMINI", Format.flag, "false")
    .describe("true: use Google's models. Takes precedence over USE_LOCAL_MODEL and OpenAI."),
  apiKey: secret("GEMINI_API_KEY", Format.text)
    .describe("Key for Google's models."),
  baseUrl: setting("GEMINI_BASE_URL", Format.modelBaseUrl, geminiUrl)
    .describe("Google's OpenAI-compatible endpoint."),
  model: setting("GEMINI_MODEL", Format.text, "gemini-2.5-flash")
    .describe("Google's model that works on the tasks."),
  embeddingModel: setting("GEMINI_EMBEDDING_MODEL", Format.text, "gemini-embedding-001")
    .describe("Google's model for embeddings.")
}

const local = {
  isEnabled: setting("USE_LOCAL_MODEL", Format.flag, "false")
    .describe("true: use your own model server (Ollama, vLLM, llama.cpp). Takes precedence over OpenAI."),
  baseUrl: optional("LOCAL_MODEL_URL", Format.modelBaseUrl)
    .describe("Its address, up to /v1. A bare host gets /v1 added."),
  apiKey: secret("LOCAL_MODEL_API_KEY", Format.text)
    .describe("Key that the server asks for, if it does."),
  model: setting("LOCAL_MODEL", Format.text, "qwen3:8b")
    .describe("The local model that works on the tasks."),
  embeddingModel: setting("LOCAL_EMBEDDING_MODEL", Format.text, "nomic-embed-text")
    .describe("The local model for embeddings.")
}

const openai = {
  apiKey: secret("OPENAI_API_KEY", Format.text)
    .describe("Key for OpenAI. With no provider configured, the built-in offline model is used."),
  baseUrl: optional("OPENAI_BASE_URL", Format.modelBaseUrl)
    .describe("Unset: https://api.openai.com/v1. If set, it is used even without a key (a compatible server)."),
  api: setting("OPENAI_API", Format.oneOf("auto", "responses", "chat"), "auto")
    .describe("The API that is called: /responses or /chat/completions. auto: the first one, else the second one."),
  model: setting("OPENAI_MODEL", Format.text, "gpt-5.1")
    .describe("OpenAI's model that works on the tasks."),
  embeddingModel: setting("OPENAI_EMBEDDING_MODEL", Format.text, "text-embedding-3-small")
    .describe("OpenAI's model for embeddings.")
}

const anthropic = {
  apiKey: secret("ANTHROPIC_API_KEY", Format.text)
    .describe("Key for Anthropic. Used where OpenAI is not configured, or with MODEL_PROVIDER=anthropic."),
  baseUrl: setting("ANTHROPIC_BASE_URL", Format.modelBaseUrl, anthropicUrl)
    .describe("Anthropic's endpoint."),
  model: setting("ANTHROPIC_MODEL", Format.text, "claude-sonnet-4-5")
    .describe(
      "Anthropic's model that works on the tasks. Embeddings are another provider's if one is configured, else built in."
    )
}

const records = {
  gemini: {
    title: "Google",
    spanName: "gcp.gemini",
    protocol: "openai",
    ownHost: "generativelanguage.googleapis.com",
    usualUrl: geminiUrl,
    contextTokens: 1_000_000,
    embeddingBatch: 100,
    refusesAnimated: true,
    needsPlainSchema: true,
    separatesThinking: true,
    settings: gemini,
    flag: gemini.isEnabled,
    needed: gemini.apiKey,
    given: Config.map(Config.all(gemini), ({ isEnabled, ...values }) => ({ ...values, isSetUp: isEnabled }))
  },
  local: {
    title: "The local model server",
    // A server at an address of one's own has its own name.
    spanName: "local",
    protocol: "openai",
    ownHost: null,
    usualUrl: "",
    contextTokens: 32_768,
    temperature: 0,
    isOwnServer: true,
    settings: local,
    flag: local.isEnabled,
    needed: local.baseUrl,
    given: Config.map(Config.all(local), ({ baseUrl, isEnabled, ...values }) => ({
      ...values,
      baseUrl: Option.getOrElse(baseUrl, () => ""),
      isSetUp: isEnabled
    }))
  },
  openai: {
    title: "OpenAI",
    spanName: "openai",
    protocol: "openai",
    ownHost: "api.openai.com",
    usualUrl: openAiUrl,
    contextTokens: 128_000,
    hasResponses: true,
    settings: openai,
    flag: null,
    needed: openai.apiKey,
    given: Config.map(Config.all(openai), ({ baseUrl, ...values }) => ({
      ...values,
      baseUrl: Option.getOrElse(baseUrl, () => openAiUrl),
      isSetUp: Option.isSome(baseUrl) || Option.isSome(values.apiKey)
    }))
  },
  anthropic: {
    title: "Anthropic",
    spanName: "anthropic",
    protocol: "anthropic",
    ownHost: "api.anthropic.com",
    usualUrl: anthropicUrl,
    contextTokens: 200_000,
    settings: anthropic,
    flag: null,
    needed: anthropic.apiKey,
    given: Config.map(Config.all(anthropic), (values) => ({ ...values, isSetUp: Option.isSome(values.apiKey) }))
  }
} as const satisfies Readonly<Record<string, ModelProvider>>

export type ProviderName = keyof typeof records

/** In the order in which they are chosen. */
export const modelProviders: Readonly<Record<ProviderName, ModelProvider>> = records

const all = Records.toEntries(modelProviders)

const byKey = all.flatMap(([name, { flag }]) => flag === null ? [name] : [])

const usual: ProviderName = "openai"

export const preferred = setting("MODEL_PROVIDER", Format.oneOf(...byKey), usual)
  .describe("The provider that is used where more than one of these has a key.")

const flags = all.flatMap(([, { flag }]) => flag === null ? [] : [flag])

const isFirst = (flag: Setting<boolean>) =>
  Config.map(Config.all(flags), (values) => values.indexOf(true) === flags.indexOf(flag))

/** The chosen provider has what it needs. The usual one is chosen only where it is set up. */
export const providerRules = Config.all(all.flatMap(([name, { flag, needed }]) => {
  if (flag !== null) return [required(needed, isFirst(flag), `${flag.declaration.name}=true`)]
  const isPreferred = Config.map(preferred, (given) => given === name)
  return name === usual ? [] : [required(needed, isPreferred, `MODEL_PROVIDER=${name}`)]
}))

/** The provider that the settings choose, with the one that makes its embeddings; the built-in ones where none is set up. */
export const chosenProvider = Config.map(
  Config.all([preferred, Config.all(Records.map(modelProviders, ({ given }) => given))]),
  ([preferred, given]) => {
    const setUp = Records.toEntries(given).flatMap(([name, { isSetUp, ...values }]) =>
      isSetUp ? [{ _tag: name, ...values }] : []
    )
    const chosen = setUp.find(({ _tag }) => modelProviders[_tag].flag !== null)
      ?? setUp.find(({ _tag }) => _tag === preferred) ?? setUp[0]
    if (chosen === undefined) return { _tag: "offline" as const }
    if (chosen.embeddingModel !== undefined) return chosen
    return { ...chosen, embeddings: Option.fromNullable(setUp.find((one) => one.embeddingModel !== undefined)) }
  }
)

/** The settings of which one sets up a provider. */
export const settingUp: string = all
  .map(([, { flag, settings }]) => (flag ?? settings.apiKey).declaration.name)
  .toSorted()
  .join(", ")
  .replace(/, (?=\w+$)/, " or ")

export const usualContexts: string = all
  .map(([, { contextTokens, isOwnServer, title }]) => `${contextTokens} for ${isOwnServer ? "a local model" : title}`)
  .join(", ")

export const contextTokensOf = (name: ProviderName | "offline"): number =>
  name === "offline" ? 1_000_000 : modelProviders[name].contextTokens

export const temperatureOf = (name: ProviderName | "offline"): number =>
  (name === "offline" ? undefined : modelProviders[name].temperature) ?? 1
