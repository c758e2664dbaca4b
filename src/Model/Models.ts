import type {
  Catalogue,
  CatalogueRequest,
  DefaultModel,
  LocalServer,
  ModelEntry,
  ModelsReport,
  ModelTested,
  ModelTrial
} from "@troupe/api/ModelsApi"
import {
  KeyNotSealable,
  type LanguageModelInfo,
  ModelInUse,
  ModelInvalid,
  ModelNotFound,
  nameMistake,
  settingsModel
} from "@troupe/domain/LanguageModel"
import { storedNameOf } from "@troupe/domain/ModelProvider"
import { Clock, Context, Effect, Either, Layer, Option, Record, Redacted } from "effect"
import { isPublicHost, notPublic } from "../Runtime/NetworkAddress.ts"
import { modelBaseUrl, withScheme } from "../Runtime/Settings/SettingFormats.ts"
import { catalogueOf, localServers } from "./ModelCatalogue.ts"
import { ModelRegistry } from "./ModelRegistry.ts"
import { tested } from "./ModelTest.ts"
import type { RegisteredModel } from "./RegisteredModel.ts"
import { usualAddress } from "./StoredDefinition.ts"
import { type ModelConfiguration, namesIn, type StoredModel, StoredModels } from "./StoredModels.ts"

/** The names that an agent may give its model. */
export class KnownModels extends Context.Reference<KnownModels>()("troupe/Model/Models/KnownModels", {
  defaultValue: (): () => ReadonlyArray<string> => () => []
}) {}

/** What names a model, such as "the agent sales": such a model can't be deleted. */
export class ModelUses extends Context.Reference<ModelUses>()("troupe/Model/Models/ModelUses", {
  defaultValue: (): (name: string) => Effect.Effect<ReadonlyArray<string>> => () => Effect.succeed([])
}) {}

/** The use-cases over the models of the service. */
export class Models extends Context.Tag("troupe/Model/Models")<Models, {
  readonly report: Effect.Effect<ModelsReport>
  /** Takes effect here at once, and in every other process within a second. */
  readonly save: (name: string, entry: ModelEntry) => Effect.Effect<LanguageModelInfo, ModelInvalid | KeyNotSealable>
  readonly remove: (name: string) => Effect.Effect<void, ModelNotFound | ModelInUse>
  readonly choose: (choice: DefaultModel) => Effect.Effect<ModelsReport, ModelInvalid>
  readonly test: (name: string) => Effect.Effect<ModelTested, ModelNotFound>
  readonly trial: (entry: ModelTrial) => Effect.Effect<ModelTested, ModelInvalid>
  readonly catalogue: (request: CatalogueRequest) => Effect.Effect<Catalogue, ModelInvalid>
  readonly servers: Effect.Effect<ReadonlyArray<LocalServer>>
}>() {
  static readonly layer = (
    options: { readonly isHosted: boolean }
  ): Layer.Layer<Models, never, ModelRegistry | StoredModels> => Layer.effect(this, make(options))
}

const maxModels = 100

const make = Effect.fnUntraced(function*({ isHosted }: { readonly isHosted: boolean }) {
  const registry = yield* ModelRegistry
  const stored = yield* StoredModels
  const uses = yield* ModelUses

  const find = (name: string) => registry.models().find((model) => model.name === name)

  const report = Effect.gen(function*() {
    yield* Effect.forEach(registry.models(), ({ refreshed }) => refreshed, { concurrency: "unbounded", discard: true })
    const now = yield* Clock.currentTimeMillis
    const { default: first, fallbacks } = registry.configuration()
    return {
      default: first,
      fallbacks,
      models: registry.models().map((model) => infoOf(model, now, registry.configuration()))
    }
  })

  /** As it is stored, with the key of the stored model of the name where the entry leaves it out. */
  const completed = (
    name: string,
    entry: Omit<ModelEntry, "model">,
    before: ModelConfiguration
  ): Either.Either<StoredModel, ModelInvalid> =>
    Either.gen(function*() {
      const baseUrl = yield* addressOf(entry, isHosted)
      const { api_key: given, context_tokens = null, price = null, provider, temperature = null } = entry
      const known = before.models[name]
      if (given === undefined && known !== undefined && known.key !== null && !isSamePlace(known, provider, baseUrl)) {
        return yield* Either.left(
          new ModelInvalid({
            field: "api_key",
            reason: "give the key again: the stored one belongs to another provider or address"
          })
        )
      }
      const key = given === undefined
        ? known?.key ?? null
        : given === null
        ? null
        : stored.seal(name, Redacted.make(given))
      return { provider, model: "", base_url: baseUrl, key, context_tokens, price, temperature }
    })

  const change = <E>(change: (before: ModelConfiguration) => Either.Either<Omit<ModelConfiguration, "version">, E>) =>
    Effect.zipRight(stored.change(change), registry.refresh)

  const trial = (entry: ModelTrial | CatalogueRequest) =>
    Effect.flatMap(
      completed(entry.name ?? "", entry, registry.configuration()),
      (model) => registry.trial({ ...model, name: entry.name ?? "", model: "model" in entry ? entry.model.trim() : "" })
    )

  return Models.of({
    report,
    save: Effect.fn("Models.save")(function*(name: string, entry: ModelEntry) {
      const mistake = nameMistake(name)
      if (mistake !== null) return yield* new ModelInvalid({ field: "name", reason: mistake })
      if (typeof entry.api_key === "string" && !stored.canSeal) return yield* new KeyNotSealable()
      yield* change((before) =>
        Either.gen(function*() {
          const model = yield* completed(name, entry, before)
          const models = { ...before.models, [name]: { ...model, model: entry.model.trim() } }
          return Record.size(models) > maxModels
            ? yield* Either.left(
              new ModelInvalid({ field: "name", reason: `at most ${maxModels} models can be added` })
            )
            : { ...before, models }
        })
      )
      const model = find(name)
      const now = yield* Clock.currentTimeMillis
      return model === undefined
        ? yield* Effect.dieMessage("The model was deleted meanwhile")
        : infoOf(model, now, registry.configuration())
    }),
    remove: Effect.fn("Models.remove")(function*(name: string) {
      const users = yield* uses(name)
      yield* change((before) => withoutModel(before, name, users))
    }),
    choose: ({ default: first, fallbacks }) =>
      Effect.zipRight(change((before) => chosenIn(before, first, fallbacks ?? before.fallbacks)), report),
    test: Effect.fn("Models.test")(function*(name: string) {
      // Another process may have added it just now.
      if (find(name) === undefined) yield* registry.refresh
      const model = find(name)
      return model === undefined ? yield* new ModelNotFound({ name }) : yield* tested(callable(model))
    }),
    trial: (entry) => Effect.flatMap(trial(entry), (model) => tested(callable(model))),
    catalogue: (request) =>
      Effect.flatMap(trial(request), ({ definition: { settings: { provider } } }) =>
        provider._tag === "offline"
          ? Effect.succeed({ models: [], detail: null })
          : registry.outside(catalogueOf(provider))),
    servers: isHosted ? Effect.succeed([]) : registry.outside(localServers())
  })
})

/** The model alone, without retries: what is wrong is to be seen. */
const callable = (model: RegisteredModel) => ({ ...model, generate: model.callOnce })

const overridable = ["base_url", "context_tokens", "price", "temperature"] as const

const infoOf = (model: RegisteredModel, now: number, { models }: ModelConfiguration): LanguageModelInfo => {
  const { contextTokens, definition: { settings: { provider, temperature } }, isOfSettings, name, price } = model
  const isRemote = provider._tag !== "offline"
  const stored = isOfSettings ? undefined : models[name]
  return {
    name,
    provider: provider._tag === "offline" ? "offline" : storedNameOf(provider._tag),
    model: model.model,
    base_url: isRemote ? provider.baseUrl : null,
    has_key: isRemote && (Option.isSome(provider.apiKey) || model.definition.refusal !== null),
    context_tokens: contextTokens,
    price: price ?? null,
    temperature,
    source: isOfSettings ? "settings" : "stored",
    overrides: stored === undefined ? [] : overridable.filter((field) => stored[field] !== null),
    ...model.state(now)
  }
}

const addressOf = (
  { base_url: given, provider }: Pick<ModelEntry, "base_url" | "provider">,
  isHosted: boolean
): Either.Either<string | null, ModelInvalid> => {
  const invalid = (reason: string) => Either.left(new ModelInvalid({ field: "base_url", reason }))
  if (given === undefined) {
    return provider === "openai-compatible"
      ? invalid("openai-compatible needs the address of the server, such as http://127.0.0.1:11434/v1")
      : Either.right(null)
  }
  const address = Option.getOrNull(modelBaseUrl.parse(given.trim()))
  if (address === null) return invalid(modelBaseUrl.expected)
  const { password, search, username } = new URL(withScheme(given.trim()))
  if (username + password + search !== "") return invalid("an address without a password and without what follows a ?")
  return isHosted && !isPublicHost(new URL(address).hostname) ? invalid(notPublic) : Either.right(address)
}

const isSamePlace = (known: StoredModel, provider: StoredModel["provider"], baseUrl: string | null): boolean =>
  known.provider === provider
  && (known.base_url ?? usualAddress(provider)) === (baseUrl ?? usualAddress(provider))

const withoutModel = (
  before: ModelConfiguration,
  name: string,
  users: ReadonlyArray<string>
): Either.Either<ModelConfiguration, ModelNotFound | ModelInUse> => {
  const isKnown = name === settingsModel || before.models[name] !== undefined
  if (!isKnown) return Either.left(new ModelNotFound({ name }))
  const reason = name === settingsModel
    ? "it is that of the settings"
    : before.default === name
    ? "it is the default; choose another one first"
    : before.fallbacks.includes(name)
    ? "it is a fallback; choose the fallbacks without it first"
    : users.length > 0
    ? `it is used by ${users.join(", ")}`
    : null
  return reason === null
    ? Either.right({ ...before, models: Record.remove(before.models, name) })
    : Either.left(new ModelInUse({ name, reason }))
}

const chosenIn = (
  before: ModelConfiguration,
  first: string,
  fallbacks: ReadonlyArray<string>
): Either.Either<ModelConfiguration, ModelInvalid> => {
  const known = new Set(namesIn(before))
  const unknown = (name: string) =>
    `there is no model "${name.slice(0, 100)}"; there are ${[...known].slice(0, 20).join(", ")}`
  const invalid = (field: string, reason: string) => Either.left(new ModelInvalid({ field, reason }))
  if (!known.has(first)) return invalid("default", unknown(first))
  for (const [index, name] of fallbacks.entries()) {
    if (!known.has(name)) return invalid(`fallbacks.${index}`, unknown(name))
    if (fallbacks.indexOf(name) !== index) return invalid(`fallbacks.${index}`, `"${name}" is there twice`)
  }
  return Either.right({ ...before, default: first, fallbacks: fallbacks.filter((name) => name !== first) })
}
