import * as FileSystem from "@effect/platform/FileSystem"
import type { SettingInEffect, SettingsReport } from "@troupe/api/SystemReports"
import { Array, Config, ConfigError, ConfigProvider, Context, Effect, Either, Layer, Schema } from "effect"
import { isMisspelt, suggestion } from "../NearNames.ts"
import { dotEnv, readDotEnv } from "./DotEnv.ts"
import { namesGiven } from "./Setting.ts"
import type { Declaration } from "./Setting.ts"
import { declaredAs, isSecret, isSettingName, sections, settingNames } from "./SettingsCatalogue.ts"
import { settingsConfig } from "./SettingsConfig.ts"

const Mistake = Schema.Struct({
  name: Schema.String,
  given: Schema.NullOr(Schema.String),
  expected: Schema.String
})

/** A name in `.env` that is not a setting. */
const Unknown = Schema.Struct({ name: Schema.String, advice: Schema.String })

/** The service can't start with these settings; lists every mistake, and never a secret. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  mistakes: Schema.Array(Mistake),
  unknown: Schema.optionalWith(Schema.Array(Unknown), { default: () => [] })
}) {
  override get message() {
    const lines = this.mistakes.map(({ expected, given, name }) =>
      `  ${name} ${given === null ? "is not set" : `is ${JSON.stringify(given)}`}; it must be ${expected}`
    )
    const unknown = this.unknown.map(({ advice, name }) => `  ${name} in ${dotEnv} is not a setting. ${advice}`)
    return ["Some settings are invalid:", ...lines, ...unknown].join("\n")
  }
}

export type SettingValues = Config.Config.Success<typeof settingsConfig>

/** The values of the settings by name, as texts. */
export type SettingTexts = ReadonlyMap<string, string>

/** Every setting of the service, read once at the start and decoded. Only `apps/` reads it; layers take values. */
export class Settings extends Context.Tag("troupe/Runtime/Settings/Settings")<
  Settings,
  SettingValues & {
    /** Sentences about variables of the environment that look like misspelt settings. */
    readonly warnings: ReadonlyArray<string>
    readonly stored: Overlay
  }
>() {
  /** Reads the environment and, beneath it, `.env` of the working directory; a blank value counts as unset. */
  static readonly layer: Layer.Layer<Settings, SettingsInvalid, FileSystem.FileSystem> = Layer.effect(
    this,
    Effect.gen(function*() {
      const environment = withoutBlanks(yield* Effect.configProviderWith(Effect.succeed))
      const files = yield* FileSystem.FileSystem
      if (!(yield* Effect.orElseSucceed(files.exists(dotEnv), () => false))) return yield* load(environment)
      const { cut, provider, unread } = yield* Effect.mapError(
        readDotEnv(files),
        (given) =>
          new SettingsInvalid({ mistakes: [{ name: dotEnv, given, expected: "a readable text in UTF-8 or UTF-16" }] })
      )
      const unknown = [
        ...unread.map((line) => ({ name: `Line ${line}`, advice: "Write it as NAME=value, or delete it." })),
        ...(yield* namesIn(provider)).filter((name) => !isSettingName(name)).map(notASetting)
      ]
      const settings = yield* Effect.either(load(environment, withoutBlanks(provider)))
      if (unknown.length > 0) {
        return yield* new SettingsInvalid({
          mistakes: Either.match(settings, { onLeft: ({ mistakes }) => mistakes, onRight: () => [] }),
          unknown
        })
      }
      const { warnings, ...rest } = yield* settings
      return { ...rest, warnings: [...warnings, ...cut.map(cutAtSign)] }
    })
  )

  static readonly layerFrom = (values: Readonly<Record<string, string>>): Layer.Layer<Settings, SettingsInvalid> =>
    Layer.effect(this, load(withoutBlanks(providerOf(new Map(Object.entries(values))))))
}

const cutAtSign = (name: string) =>
  `The value of ${name} in ${dotEnv} ends at a #, where a comment begins. Put it in quotes if the # belongs to it.`

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

const load = (
  environment: ConfigProvider.ConfigProvider,
  file?: ConfigProvider.ConfigProvider
): Effect.Effect<Settings["Type"], SettingsInvalid> => {
  const provider = file === undefined ? environment : ConfigProvider.orElse(environment, () => file)
  return Effect.zipWith(
    valuesIn(provider),
    Effect.zipWith(namesIn(environment), file === undefined ? Effect.succeed([]) : namesIn(file), misspelt),
    (settings, warnings) => ({ ...settings, warnings, stored: new Overlay(settings, provider, environment) })
  )
}

const valuesIn = (provider: ConfigProvider.ConfigProvider): Effect.Effect<SettingValues, SettingsInvalid> =>
  Effect.catchAll(provider.load(settingsConfig), (error) =>
    Effect.flatMap(
      Effect.forEach(problemsIn(error), ({ expected, name }) =>
        Effect.map(givenIn(provider, name), (given) => ({ name, given, expected }))),
      (mistakes) =>
        new SettingsInvalid({ mistakes })
    ))

const providerOf = (texts: SettingTexts) => ConfigProvider.fromMap(new Map(texts), { pathDelim: "_" })

/** What stored values make of the settings. The environment and `.env` take precedence over them. */
export class Overlay {
  readonly #atStart: SettingValues
  readonly #given: ConfigProvider.ConfigProvider
  readonly #environment: ConfigProvider.ConfigProvider
  #texts: SettingTexts = new Map()
  #values: SettingValues

  constructor(
    atStart: SettingValues,
    given: ConfigProvider.ConfigProvider,
    environment: ConfigProvider.ConfigProvider
  ) {
    this.#atStart = atStart
    this.#values = atStart
    this.#given = given
    this.#environment = environment
  }

  /** The values in effect. Settings that need no start are read here at each use. */
  current(): SettingValues {
    return this.#values
  }

  /** The stored texts that are in effect. */
  texts(): SettingTexts {
    return this.#texts
  }

  /** The values with other stored texts; fails with what is wrong with them. */
  valuesWith(texts: SettingTexts): Effect.Effect<SettingValues, SettingsInvalid> {
    return texts.size === 0
      ? Effect.succeed(this.#atStart)
      : valuesIn(ConfigProvider.orElse(this.#given, () => withoutBlanks(providerOf(texts))))
  }

  replace(texts: SettingTexts, values: SettingValues): void {
    this.#texts = texts
    this.#values = values
  }

  /** What is given, and where: settings whose names the operator completes too. */
  get given(): Effect.Effect<ReadonlyMap<string, "environment" | "file">> {
    return Effect.zipWith(
      namesIn(this.#given),
      namesIn(this.#environment),
      (names, inEnvironment) =>
        new Map(names.map((name) => [name, inEnvironment.includes(name) ? "environment" : "file"]))
    )
  }

  /** Every setting with the value that is given or its default, and secrets without. */
  get inEffect(): Effect.Effect<SettingsReport["sections"]> {
    return sectionsIn(this.#given)
  }

  /** The text of a setting that the environment or `.env` gives; null for a secret. */
  textOf(name: string): Effect.Effect<string | null> {
    return isSecret(name) ? Effect.succeed(null) : givenIn(this.#given, name)
  }
}

const namesIn = (provider: ConfigProvider.ConfigProvider): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(provider.load(namesGiven), () => [])

const notASetting = (name: string) => ({
  name,
  advice: suggestion(name, [...settingNames], "Delete the line; .env.example lists every setting.")
})

/** `given`: names in the environment; `inFile`: those in `.env`. */
const misspelt = (given: ReadonlyArray<string>, inFile: ReadonlyArray<string>): ReadonlyArray<string> => {
  const set = new Set([...given, ...inFile])
  const unset = [...settingNames].filter((name) => !set.has(name))
  return given.filter((name) => !isSettingName(name)).flatMap((name) => {
    const meant = unset.find((setting) => isMisspelt(name, setting))
    return meant === undefined ? [] : [`${name} is not a setting. Did you mean ${meant}?`]
  })
}

/** A password inside an address is a secret, whichever setting it is in. */
const givenIn = (provider: ConfigProvider.ConfigProvider, name: string): Effect.Effect<string | null> =>
  provider.load(Config.string(name)).pipe(
    Effect.map((given) => isSecret(name) ? "<redacted>" : given.replace(/\/\/[^/@\s]*@/g, "//<redacted>@")),
    Effect.orElseSucceed(() => null)
  )

const sectionsIn = (provider: ConfigProvider.ConfigProvider): Effect.Effect<SettingsReport["sections"]> =>
  Effect.flatMap(namesIn(provider), (names) =>
    Effect.forEach(sections, ({ settings, title }) =>
      Effect.map(
        Effect.forEach(settings.flatMap((one) => declaredAs(one, names)), (one) => settingIn(provider, one)),
        (settings) => ({ title, settings })
      )))

const settingIn = (
  provider: ConfigProvider.ConfigProvider,
  { default: literal, description, name, secret }: Declaration
): Effect.Effect<SettingInEffect> =>
  Effect.map(givenIn(provider, name), (given) => ({
    name,
    description,
    is_secret: secret,
    is_set: given !== null,
    value: secret ? null : given ?? literal,
    default: literal
  }))

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
