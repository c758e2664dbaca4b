import { Array, Config, ConfigError, ConfigProvider, Effect } from "effect"
import { sections } from "./SettingsCatalogue.ts"
import type { Mistake } from "./SettingsInvalid.ts"

const secrets = new Set(
  sections.flatMap(({ settings }) => settings).filter(({ secret }) => secret).map(({ name }) => name)
)

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

type Problem = Omit<Mistake, "given">

const single = (path: ReadonlyArray<string>, expected: string): Array.NonEmptyReadonlyArray<Problem> => [
  { name: path.join("_"), expected }
]

const problems = ConfigError.reduceWithContext<void, Array.NonEmptyReadonlyArray<Problem>>(undefined, {
  andCase: (_, left, right) => Array.appendAll(left, right),
  orCase: (_, left) => left,
  invalidDataCase: (_, path, message) => single(path, message),
  missingDataCase: (_, path, message) => single(path, message),
  sourceUnavailableCase: (_, path, message) => single(path, message),
  unsupportedCase: (_, path, message) => single(path, message)
})

/** A password inside an address is a secret wherever it was put. */
const withoutPassword = (given: string) => given.replace(/\/\/[^/@\s]*@/g, "//<redacted>@")

/** Every mistake behind `error`, one a setting, with what `provider` gave. */
export const mistakesOf = (
  error: ConfigError.ConfigError,
  provider: ConfigProvider.ConfigProvider
): Effect.Effect<Array.NonEmptyReadonlyArray<Mistake>> =>
  Effect.forEach(
    Array.dedupeWith(problems(error), (one, other) => one.name === other.name),
    (problem) =>
      provider.load(Config.string(problem.name)).pipe(
        Effect.map((given) => secrets.has(problem.name) ? "<redacted>" : withoutPassword(given)),
        Effect.orElseSucceed(() => null),
        Effect.map((given) => ({ ...problem, given }))
      )
  )
