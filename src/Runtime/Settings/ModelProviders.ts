import {
  type KeyedProvider,
  type KeyedProviderName,
  keyedProviders,
  modelProviders,
  type ProviderName
} from "@troupe/domain/ModelProvider"
import { Config, Option, Record as Records, type Redacted } from "effect"
import { optional, required, secret, type Setting, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

const usual = "openai"

/** How the settings set a provider up. */
interface ProviderSettings {
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

const gemini = {
  isEnabled: setting("USE_GEMINI", Format.flag, "false")
    .describe("true: use Google's models. Takes precedence over USE_LOCAL_MODEL and OpenAI."),
  apiKey: secret("GEMINI_API_KEY", Format.text)
    .describe("Key for Google's models."),
  baseUrl: setting("GEMINI_BASE_URL", Format.modelBaseUrl, modelProviders.gemini.usualUrl)
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

/** The settings of a provider that is chosen by its key. */
const keyedSettings = (
  { embeddingModel, model, title, usualUrl }: KeyedProvider,
  name: KeyedProviderName
): ProviderSettings => {
  const prefix = name.toUpperCase().replaceAll("-", "_")
  const keyedNames = Records.keys(keyedProviders)
  const before = [
    modelProviders[usual],
    ...keyedNames.slice(0, keyedNames.indexOf(name)).map((one) => keyedProviders[one])
  ]
    .map(({ title }) => title)
  const settings = {
    apiKey: secret(`${prefix}_API_KEY`, Format.text)
      .describe(
        `Key for ${title}. Used where ${before.join(" and ")} ${
          before.length === 1 ? "is" : "are"
        } not configured, or with MODEL_PROVIDER=${name}.`
      ),
    baseUrl: setting(`${prefix}_BASE_URL`, Format.modelBaseUrl, usualUrl)
      .describe(`${title}'s endpoint.`),
    model: setting(`${prefix}_MODEL`, Format.text, model)
      .describe(
        `${title}'s model that works on the tasks.${
          embeddingModel === undefined ? " Embeddings are another provider's if one is configured, else built in." : ""
        }`
      )
  }
  const of = { flag: null, needed: settings.apiKey }
  const given = Config.map(Config.all(settings), (values) => ({ ...values, isSetUp: Option.isSome(values.apiKey) }))
  if (embeddingModel === undefined) return { ...of, settings, given }
  const embeddings = setting(`${prefix}_EMBEDDING_MODEL`, Format.text, embeddingModel)
    .describe(`${title}'s model for embeddings.`)
  return {
    ...of,
    settings: Object.assign({}, settings, { embeddings }),
    given: Config.map(Config.all([given, embeddings]), ([values, embeddingModel]) => ({ ...values, embeddingModel }))
  }
}

/** In the order in which they are chosen. */
const providers: Readonly<Record<ProviderName, ProviderSettings>> = {
  gemini: {
    settings: gemini,
    flag: gemini.isEnabled,
    needed: gemini.apiKey,
    given: Config.map(Config.all(gemini), ({ isEnabled, ...values }) => ({ ...values, isSetUp: isEnabled }))
  },
  local: {
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
    settings: openai,
    flag: null,
    needed: openai.apiKey,
    given: Config.map(Config.all(openai), ({ baseUrl, ...values }) => ({
      ...values,
      baseUrl: Option.getOrElse(baseUrl, () => modelProviders.openai.usualUrl),
      isSetUp: Option.isSome(baseUrl) || Option.isSome(values.apiKey)
    }))
  },
  ...Records.map(keyedProviders, keyedSettings)
}

export const providerSettings = Records.map(providers, ({ settings }) => settings)

const all = Records.toEntries(providers)

const byKey = all.flatMap(([name, { flag }]) => flag === null ? [name] : [])

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
  Config.all([preferred, Config.all(Records.map(providers, ({ given }) => given))]),
  ([preferred, given]) => {
    const setUp = Records.toEntries(given).flatMap(([name, { isSetUp, ...values }]) =>
      isSetUp ? [{ _tag: name, ...values }] : []
    )
    const chosen = setUp.find(({ _tag }) => providers[_tag].flag !== null)
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
  .map(([name]) => modelProviders[name])
  .map(({ contextTokens, isOwnServer, title }) => `${contextTokens} for ${isOwnServer ? "a local model" : title}`)
  .join(", ")

export const contextTokensOf = (name: ProviderName | "offline"): number =>
  name === "offline" ? 1_000_000 : modelProviders[name].contextTokens

export const temperatureOf = (name: ProviderName | "offline"): number =>
  (name === "offline" ? undefined : modelProviders[name].temperature) ?? 1
