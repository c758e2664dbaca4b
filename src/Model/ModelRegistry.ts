import * as HttpClient from "@effect/platform/HttpClient"
import { settingsModel } from "@troupe/domain/LanguageModel"
import type { ModelPrices } from "@troupe/domain/ModelPrice"
import { type Array, Context, Effect, Layer, type Option, Record, Scope, Stream } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { contextTokensOf } from "../Runtime/Settings/ModelProviders.ts"
import { generateWith, inTurn } from "./Fallbacks.ts"
import { knownPriceOf } from "./ListPrices.ts"
import { type ChosenModel, Model } from "./Model.ts"
import type { RetryPolicy } from "./ModelCalls.ts"
import type { ModelSettings } from "./ModelSettings.ts"
import { offlineModel } from "./Offline.ts"
import { type ModelDefinition, register, type RegisteredModel } from "./RegisteredModel.ts"
import { definitionOf } from "./StoredDefinition.ts"
import { type ModelConfiguration, noModels, type StoredModel, StoredModels } from "./StoredModels.ts"

export interface RegistryOptions extends RetryPolicy, ModelSettings {
  readonly contextTokens: number
  readonly prices: ModelPrices
  /** Whether spans contain what was sent to a model and what it wrote. */
  readonly recordsContent: boolean
  /** MODEL_TEMPERATURE, for the stored models that have none of their own. */
  readonly givenTemperature?: Option.Option<number>
}

/** The models of the service: that of the settings, and the stored ones. */
export class ModelRegistry extends Context.Tag("troupe/Model/ModelRegistry")<ModelRegistry, {
  /** The models as they are, that of the settings first. */
  readonly models: () => ReadonlyArray<RegisteredModel>
  readonly configuration: () => ModelConfiguration
  /** Reads the configuration now. */
  readonly refresh: Effect.Effect<void>
  /** A model that is not stored, to be tried. */
  readonly trial: (model: StoredModel & { readonly name: string }) => Effect.Effect<RegisteredModel>
  /** With the HTTP client of the stored models. */
  readonly outside: <A, E>(request: Effect.Effect<A, E, HttpClient.HttpClient>) => Effect.Effect<A, E>
}>() {
  /**
   * A change reaches each process by a notification of the database, or else by its next poll. A call under way keeps the
   * model with which it began.
   */
  static readonly layer = (
    options: RegistryOptions,
    /** For the stored models; that of the settings' model where it is left out. */
    storedHttp?: Layer.Layer<HttpClient.HttpClient>
  ): Layer.Layer<Model | ModelRegistry, never, HttpClient.HttpClient | StoredModels> =>
    Layer.scopedContext(make(options, storedHttp))
}

const make = Effect.fnUntraced(function*(options: RegistryOptions, storedHttp?: Layer.Layer<HttpClient.HttpClient>) {
  const stored = yield* StoredModels
  const scope = yield* Effect.scope
  const http = yield* HttpClient.HttpClient
  const outside = storedHttp === undefined ? http : Context.get(yield* Layer.build(storedHttp), HttpClient.HttpClient)

  const registered = (definition: ModelDefinition) =>
    register(definition, options, options).pipe(
      Effect.provideService(HttpClient.HttpClient, definition.isOfSettings ? http : outside),
      Effect.provideService(Scope.Scope, scope)
    )
  const ofSettings = yield* registered({
    name: settingsModel,
    settings: options,
    contextTokens: options.contextTokens,
    price: knownPriceOf(options.provider, options.prices),
    isOfSettings: true,
    refusal: null
  })
  const builtIn = yield* registered({
    name: offlineModel.model,
    settings: { ...options, provider: { _tag: "offline" } },
    contextTokens: contextTokensOf("offline"),
    price: undefined,
    isOfSettings: false,
    refusal: null
  })
  const reported = new Set<string>()
  let configuration = noModels
  let models: ReadonlyMap<string, RegisteredModel> = new Map([[settingsModel, ofSettings]])

  const oneByOne = (yield* Effect.makeSemaphore(1)).withPermits(1)
  const apply = oneByOne(Effect.gen(function*() {
    const next = yield* stored.configuration
    const before = configuration
    const made = yield* Effect.forEach(Record.toEntries(next.models), ([name, model]) => {
      const known = models.get(name)
      const isSame = known !== undefined && JSON.stringify(before.models[name]) === JSON.stringify(model)
      return isSame ? Effect.succeed(known) : registered(definitionOf(name, model, options, stored))
    })
    models = new Map([ofSettings, ...made].map((model) => [model.name, model]))
    configuration = next
    reported.clear()
  }))
  const poll = Effect.flatMap(
    asService(stored.version),
    (version) => version === configuration.version ? Effect.void : asService(apply)
  )
  const guarded = Effect.catchAllDefect(
    poll,
    (cause) => Effect.logDebug("Reading the stored models failed; it will be retried", cause)
  )
  yield* guarded
  yield* Effect.forkScoped(Stream.runForEach(stored.changes, () => guarded))

  /** The model of this name, else the default; then the fallbacks. */
  const find = (name: string) => models.get(name) ?? (name === builtIn.name ? builtIn : undefined)
  const chainOf = (name: string | null): Array.NonEmptyReadonlyArray<RegisteredModel> => {
    const first = (name === null ? undefined : find(name)) ?? models.get(configuration.default) ?? ofSettings
    const others = configuration.fallbacks.flatMap((fallback) => models.get(fallback) ?? [])
    return [first, ...others.filter((other) => other !== first)]
  }
  const chosenOf = (chain: Array.NonEmptyReadonlyArray<RegisteredModel>, now: number): ChosenModel => {
    const [{ contextTokens, model, name, price, probe, provider, sees }] = inTurn(chain, now)
    return { name, provider, model, sees, contextTokens, price, probe, generate: generateWith(chain) }
  }
  /** Each unknown name is logged once, until the models change. */
  const warned = (name: string) =>
    Effect.suspend(() => {
      if (reported.has(name)) return Effect.void
      reported.add(name)
      return Effect.logWarning(`There is no model ${JSON.stringify(name)}; the default model answers`)
    })
  const choose = (name: string | null) => {
    const chosen = Effect.clockWith((clock) => Effect.succeed(chosenOf(chainOf(name), clock.unsafeCurrentTimeMillis())))
    return name === null || find(name) !== undefined ? chosen : Effect.zipRight(warned(name), chosen)
  }

  return Context.make(ModelRegistry, {
    models: () => [...models.values()],
    configuration: () => configuration,
    refresh: asService(apply),
    trial: ({ name, ...model }) => registered(definitionOf(name, model, options, stored)),
    outside: Effect.provideService(HttpClient.HttpClient, outside)
  }).pipe(Context.add(Model, {
    get provider() {
      return chainOf(null)[0].provider
    },
    get model() {
      return chainOf(null)[0].model
    },
    ofSettings: ofSettings.model,
    sees: (mediaType) => chainOf(null)[0].sees(mediaType),
    generate: (request) => Effect.suspend(() => generateWith(chainOf(null))(request)),
    probe: Effect.suspend(() => chainOf(null)[0].probe),
    choose
  }))
})
