import * as FileSystem from "@effect/platform/FileSystem"
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import { Array, Config, ConfigError, ConfigProvider, Context, Effect, Layer, Schema } from "effect"
import { isSecret } from "./SettingsCatalogue.ts"
import { settingsConfig } from "./SettingsConfig.ts"

const Mistake = Schema.Struct({
  name: Schema.String,
  given: Schema.NullOr(Schema.String),
  expected: Schema.String
})

/** The service can't start with these settings; lists every mistake, and never a secret. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  mistakes: Schema.NonEmptyArray(Mistake)
}) {
  override get message() {
    const lines = this.mistakes.map(({ expected, given, name }) =>
      `  ${name} ${given === null ? "is not set" : `is ${JSON.stringify(given)}`}; it must be ${expected}`
    )
    return ["Some settings are invalid:", ...lines].join("\n")
  }
}

/** Every setting of the service, read once at the start and decoded. Only `apps/` reads it; layers take values. */
export class Settings extends Context.Tag("troupe/Runtime/Settings")<
  Settings,
  Config.Config.Success<typeof settingsConfig>
>() {
  /** Reads the environment and, beneath it, `.env` of the working directory; a blank value counts as unset. */
  static readonly layer: Layer.Layer<Settings, SettingsInvalid, FileSystem.FileSystem> = Layer.effect(
    this,
    Effect.gen(function*() {
      const environment = withoutBlanks(yield* Effect.configProviderWith(Effect.succeed))
      const files = yield* FileSystem.FileSystem
      if (!(yield* Effect.orElseSucceed(files.exists(dotEnv), () => false))) return yield* load(environment)
      const file = yield* Effect.mapError(
        PlatformConfigProvider.fromDotEnv(dotEnv),
        () => new SettingsInvalid({ mistakes: [{ name: dotEnv, given: null, expected: "a file that can be read" }] })
      )
      return yield* load(ConfigProvider.orElse(environment, () => withoutBlanks(file)))
    })
  )

  static readonly layerFrom = (values: Readonly<Record<string, string>>): Layer.Layer<Settings, SettingsInvalid> =>
    Layer.effect(this, load(withoutBlanks(ConfigProvider.fromMap(new Map(Object.entries(values)), { pathDelim: "_" }))))
}

const dotEnv = ".env"

/** Hides values that are empty or only space, so that `NAME=` in a file or a compose manifest means "unset". */
const withoutBlanks = ({ flattened }: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromFlat(ConfigProvider.makeFlat({
    load: (path, primitive, split) =>
      Effect.filterOrFail(
        flattened.load(path, primitive, split),
        (values) => values.some((value) => String(value).trim() !== ""),
        () => ConfigError.MissingData([...path], "blank")
      ),
    enumerateChildren: flattened.enumerateChildren,
    patch: flattened.patch
  }))

const load = (provider: ConfigProvider.ConfigProvider): Effect.Effect<Settings["Type"], SettingsInvalid> =>
  Effect.catchAll(provider.load(settingsConfig), (error) =>
    Effect.flatMap(
      Effect.forEach(problemsIn(error), ({ expected, name }) =>
        Effect.map(givenIn(provider, name), (given) => ({ name, given, expected }))),
      (mistakes) =>
        new SettingsInvalid({ mistakes })
    ))

/** A password inside an address is a secret, whichever setting it is in. */
const givenIn = (provider: ConfigProvider.ConfigProvider, name: string): Effect.Effect<string | null> =>
  provider.load(Config.string(name)).pipe(
    Effect.map((given) => isSecret(name) ? "<redacted>" : given.replace(/\/\/[^/@\s]*@/g, "//<redacted>@")),
    Effect.orElseSucceed(() => null)
  )

type Problems = Array.NonEmptyReadonlyArray<{ readonly name: string; readonly expected: string }>

const problemsOf = (error: ConfigError.ConfigError): Problems => {
  switch (error._op) {
    case "And":
      return Array.appendAll(problemsOf(error.left), problemsOf(error.right))
    case "Or":
      return problemsOf(error.left)
    default:
      return [{ name: error.path.join("_"), expected: error.message }]
  }
}

/** Rules read settings again, so a mistake of one may be in the error more than once. */
const problemsIn = (error: ConfigError.ConfigError): Problems =>
  Array.dedupeWith(problemsOf(error), (one, other) => one.name === other.name)
