import { Array, Config, ConfigError, ConfigProvider, Effect, Schema } from "effect"
import { isSecret } from "./SettingsCatalogue.ts"

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

/** Hides values that are empty or only space, so that `NAME=` in a file or a compose manifest means "unset". */
export const withoutBlanks = (provider: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider => {
  const { flattened } = provider
  return ConfigProvider.fromFlat(ConfigProvider.makeFlat({
    load: (path, primitive, split) =>
      Effect.filterOrFail(
        flattened.load(path, primitive, split),
        (values) => values.some((value) => String(value).trim() !== ""),
        () => ConfigError.MissingData([...path], "blank")
      ),
    enumerateChildren: flattened.enumerateChildren,
    patch: flattened.patch
  }))
}

type Problems = Array.NonEmptyReadonlyArray<{ readonly name: string; readonly expected: string }>

const single = (_: void, path: ReadonlyArray<string>, expected: string): Problems => [{
  name: path.join("_"),
  expected
}]

const problemsOf = ConfigError.reduceWithContext<void, Problems>(undefined, {
  andCase: (_, left, right) => Array.appendAll(left, right),
  orCase: (_, left) => left,
  invalidDataCase: single,
  missingDataCase: single,
  sourceUnavailableCase: single,
  unsupportedCase: single
})

/** A password inside an address is a secret, whichever setting it is in. */
const withoutPassword = (given: string) => given.replace(/\/\/[^/@\s]*@/g, "//<redacted>@")

export const invalid = (
  error: ConfigError.ConfigError,
  provider: ConfigProvider.ConfigProvider
): Effect.Effect<never, SettingsInvalid> =>
  Effect.forEach(
    Array.dedupeWith(problemsOf(error), (one, other) => one.name === other.name),
    (problem) =>
      provider.load(Config.string(problem.name)).pipe(
        Effect.map((given) => isSecret(problem.name) ? "<redacted>" : withoutPassword(given)),
        Effect.orElseSucceed(() => null),
        Effect.map((given) => ({ ...problem, given }))
      )
  ).pipe(Effect.flatMap((mistakes) => new SettingsInvalid({ mistakes })))
