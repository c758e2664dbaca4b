import { Config, ConfigError, Either, Option, Redacted } from "effect"
import type { Kind } from "./SettingKind.ts"

/** One setting: its name in the environment, its default as one would write it, and what it is for. */
export interface Setting<out A> {
  readonly name: string
  readonly description: string
  /** The literal default; null where there is none, or where other settings decide (the description says how). */
  readonly default: string | null
  readonly expected: string
  readonly secret: boolean
  readonly config: Config.Config<A>
}

interface About {
  readonly name: string
  readonly description: string
}

const decoded = <A>(name: string, kind: Kind<A>, text: string): Either.Either<A, ConfigError.ConfigError> =>
  Either.fromOption(kind.decode(text.trim()), () => ConfigError.InvalidData([name], kind.expected))

const decodedOption = <A>(
  name: string,
  kind: Kind<A>,
  text: Option.Option<string>
): Either.Either<Option.Option<A>, ConfigError.ConfigError> =>
  Option.match(text, {
    onNone: () => Either.right(Option.none()),
    onSome: (given) => Either.map(decoded(name, kind, given), Option.some)
  })

/** A setting with a literal default, which goes through the same decoding as a given value. */
export const defaulted = <A>(kind: Kind<A>, about: About & { readonly default: string }): Setting<A> => ({
  ...about,
  expected: kind.expected,
  secret: false,
  config: Config.string(about.name).pipe(
    Config.withDefault(about.default),
    Config.mapOrFail((text) => decoded(about.name, kind, text))
  )
})

/** A setting that may stay unset. */
export const optional = <A>(kind: Kind<A>, about: About): Setting<Option.Option<A>> => ({
  ...about,
  default: null,
  expected: kind.expected,
  secret: false,
  config: Config.option(Config.string(about.name)).pipe(
    Config.mapOrFail((text) => decodedOption(about.name, kind, text))
  )
})

/** A setting that may stay unset, and whose value must never be shown. */
export const secret = (kind: Kind<string>, about: About): Setting<Option.Option<Redacted.Redacted>> => ({
  ...about,
  default: null,
  expected: kind.expected,
  secret: true,
  config: Config.option(Config.redacted(about.name)).pipe(
    Config.mapOrFail((given) => decodedOption(about.name, kind, Option.map(given, Redacted.value))),
    Config.map(Option.map((text) => Redacted.make(text)))
  )
})

/** A rule between settings: while `when` holds, `setting` must be set. */
export const required = (
  setting: Setting<Option.Option<unknown>>,
  when: Config.Config<boolean>,
  because: string
): Config.Config<void> =>
  Config.all([when, setting.config]).pipe(
    Config.mapOrFail(([holds, value]) =>
      holds && Option.isNone(value)
        ? Either.left(ConfigError.MissingData([setting.name], `${setting.expected} (required because ${because})`))
        : Either.void
    )
  )
