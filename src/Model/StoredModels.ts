import { SqlClient } from "@effect/sql/SqlClient"
import { settingsModel, StoredModelProvider } from "@troupe/domain/LanguageModel"
import { ModelPrice } from "@troupe/domain/ModelPrice"
import { Context, Duration, Effect, Either, Layer, Option, Record, type Redacted, Schema, Stream } from "effect"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { makeAnnounced, Signals } from "../Runtime/Database/Signals.ts"
import { Sealed, Sealing } from "../Runtime/Sealing.ts"

const StoredModel = Schema.Struct({
  provider: StoredModelProvider,
  model: Schema.String,
  base_url: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Sealed),
  context_tokens: Schema.NullOr(Schema.Int),
  price: Schema.NullOr(ModelPrice),
  temperature: Schema.NullOr(Schema.Number)
})
export type StoredModel = typeof StoredModel.Type

const Models = Schema.parseJson(Schema.Record({ key: Schema.String, value: StoredModel }))
const modelsText = Schema.encodeSync(Models)

/** The models that people have added. Version 0: none ever was. */
export interface ModelConfiguration {
  readonly version: number
  readonly models: Readonly<Record<string, StoredModel>>
  readonly default: string
  readonly fallbacks: ReadonlyArray<string>
}

export const noModels: ModelConfiguration = { version: 0, models: {}, default: settingsModel, fallbacks: [] }

export class StoredModels extends Context.Tag("troupe/Model/StoredModels")<StoredModels, {
  readonly version: Effect.Effect<number>
  readonly configuration: Effect.Effect<ModelConfiguration>
  /** Replaces the configuration by what is made of it; of two changes at the same time, the second one sees the first. */
  readonly change: <E>(
    change: (before: ModelConfiguration) => Either.Either<Omit<ModelConfiguration, "version">, E>
  ) => Effect.Effect<void, E>
  /** After each change, in whichever process. A signal may be lost, so it also comes every ten seconds. */
  readonly changes: Stream.Stream<void>
  readonly canSeal: boolean
  readonly seal: (name: string, key: Redacted.Redacted) => StoredModel["key"]
  /** Fails where the key was sealed with another SECRETS_KEY. */
  readonly open: (
    name: string,
    key: StoredModel["key"]
  ) => Either.Either<Option.Option<Redacted.Redacted>, "unreadable">
}>() {
  static readonly layer: Layer.Layer<StoredModels, never, SqlClient | Sealing | Signals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const sealing = yield* Sealing
      const signals = yield* Signals
      const announced = yield* makeAnnounced("troupe_models")
      return StoredModels.of({
        version: Effect.map(
          versions(sql`select version::float8 as version from model_config where single`),
          ([row]) => row?.version ?? 0
        ),
        configuration: Effect.map(configurations(sql`${sql.literal(read)}`), ([row]) => row ?? noModels),
        change: (change) =>
          Effect.gen(function*() {
            // Without a row there is nothing to lock.
            yield* orDie(sql`insert into model_config (version, models, default_model, fallbacks)
values (0, '{}', ${settingsModel}, '{}') on conflict (single) do nothing`)
            const [before = noModels] = yield* configurations(sql`${sql.literal(read)} for update`)
            const { default: first, fallbacks, models } = yield* change(before)
            yield* orDie(sql`update model_config set version = version + 1, models = ${modelsText(models)},
  default_model = ${first}, fallbacks = ${[...fallbacks]}::text[] where single`)
          }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die), announced),
        changes: Stream.merge(signals.receive("troupe_models"), Stream.drop(Stream.tick(pollInterval), 1)),
        canSeal: sealing.canSeal,
        seal: (name, key) => sealing.seal(key, placeOf(name)),
        open: (name, key) =>
          key === null ? Either.right(Option.none()) : Either.map(sealing.open(key, placeOf(name)), Option.some)
      })
    })
  )

  /** Of a process without stored models. */
  static readonly layerNone: Layer.Layer<StoredModels> = Layer.succeed(this, {
    version: Effect.succeed(0),
    configuration: Effect.succeed(noModels),
    change: () => Effect.dieMessage("There are no stored models here"),
    changes: Stream.never,
    canSeal: false,
    seal: () => null,
    open: () => Either.right(Option.none())
  })
}

const pollInterval = Duration.seconds(30)

const read =
  `select version::float8 as version, models, default_model as "default", fallbacks from model_config where single`

const orDie = <A, E>(statement: Effect.Effect<A, E>) => Effect.asVoid(Effect.orDie(statement))

const placeOf = (name: string): string => `model\0${name}`

const versions = rowsOf(Schema.Struct({ version: Schema.Number }))
const configurations = rowsOf(Schema.Struct({
  version: Schema.Number,
  models: Models,
  default: Schema.String,
  fallbacks: Schema.Array(Schema.String)
}))

/** Every name of a configuration that calls may have. */
export const namesIn = ({ models }: Pick<ModelConfiguration, "models">): ReadonlyArray<string> => [
  settingsModel,
  ...Record.keys(models).toSorted()
]
