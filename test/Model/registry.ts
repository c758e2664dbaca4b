import { Context, Duration, Effect, Layer, Logger, LogLevel, Option, Redacted } from "effect"
import * as LanguageModel from "../../src/apps/LanguageModel.ts"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import * as ModelHttpClient from "../../src/Model/ModelHttpClient.ts"
import type { RegistryOptions } from "../../src/Model/ModelRegistry.ts"
import { Models } from "../../src/Model/Models.ts"
import { type StoredModel, StoredModels } from "../../src/Model/StoredModels.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import * as Database from "../support/Database.ts"
import type { ModelServer } from "../support/ModelServer.ts"

export interface ProcessOptions extends Partial<RegistryOptions> {
  readonly secretsKey?: string | null
  readonly isHosted?: boolean
}

/** The models of one process, on the database of the test. */
export const processModels = ({ isHosted = false, secretsKey = "k".repeat(32), ...options }: ProcessOptions = {}) =>
  Models.layer({ isHosted }).pipe(
    Layer.provideMerge(LanguageModel.layer({
      temperature: 1,
      provider: { _tag: "offline" },
      contextTokens: 1_000_000,
      prices: {},
      recordsContent: false,
      maxRetries: 4,
      totalTimeout: Duration.minutes(4),
      ...options
    })),
    Layer.provideMerge(StoredModels.layer),
    Layer.provide([
      ModelHttpClient.layer({ timeout: Duration.seconds(5) }),
      Sealing.layer(Option.map(Option.fromNullable(secretsKey), Redacted.make)),
      Signals.layer
    ]),
    Layer.provide(Layer.merge(Layer.orDie(Sql.layer({ maxConnections: 2 })), Session.layer))
  )

/** Providers fail on purpose here. */
export const quiet = Logger.minimumLogLevel(LogLevel.None)

/** A process of its own, until the scope ends. */
export const startProcess = (options: ProcessOptions = {}) =>
  Effect.map(Layer.build(Layer.fresh(processModels(options))), (context) => ({
    models: Context.get(context, Models),
    model: Context.get(context, Model)
  }))

export const onDatabase = Layer.merge(Database.layer, quiet)

/** A stored model of the server. */
export const storedModel = ({ url }: Pick<ModelServer, "url">, more: Partial<StoredModel> = {}): StoredModel => ({
  provider: "openai-compatible",
  model: "fake-r0",
  base_url: url,
  key: null,
  context_tokens: 100_000,
  price: null,
  temperature: null,
  ...more
})

/** Stored models that never change; the first is the default, and the others are its fallbacks. */
export const fixedModels = (models: Readonly<Record<string, StoredModel>>) =>
  Layer.map(StoredModels.layerNone, (context) => {
    const [first = "settings", ...fallbacks] = Object.keys(models)
    return Context.make(StoredModels, {
      ...Context.get(context, StoredModels),
      version: Effect.succeed(1),
      configuration: Effect.succeed({ version: 1, models, default: first, fallbacks })
    })
  })

/** The models of a worker, each of which is called once before the next one is. */
export const workerModels = (models: Readonly<Record<string, StoredModel>>) =>
  LanguageModel.layer({
    temperature: 1,
    provider: { _tag: "offline" },
    contextTokens: 1_000_000,
    prices: {},
    recordsContent: false,
    maxRetries: 0,
    totalTimeout: Duration.minutes(4)
  }).pipe(Layer.provide([fixedModels(models), ModelHttpClient.layer({ timeout: Duration.seconds(20) })]))

/** A model of the server, as it is saved. */
export const entryOf = ({ url }: Pick<ModelServer, "url">, more: object = {}) => ({
  provider: "openai-compatible" as const,
  base_url: url,
  model: "fake-r0",
  ...more
})

export const ask: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", content: "How many?" }],
  tools: { tools: [] }
}

/** The text of the answer of the default model. */
export const answer = (model: Model["Type"], request = ask) =>
  Effect.map(model.generate(request), ({ message }) => message.content)
