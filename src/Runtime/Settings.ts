import * as FileSystem from "@effect/platform/FileSystem"
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import { type Config, ConfigProvider, Context, Effect, Layer } from "effect"
import { settingsConfig } from "./SettingsConfig.ts"
import { invalid, SettingsInvalid, withoutBlanks } from "./SettingsSource.ts"

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

const load = (provider: ConfigProvider.ConfigProvider): Effect.Effect<Settings["Type"], SettingsInvalid> =>
  Effect.catchAll(provider.load(settingsConfig), (error) => invalid(error, provider))
