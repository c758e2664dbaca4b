import { Config, ConfigError, Either, type HashMap, Option, Redacted } from "effect"
import type { Format } from "./SettingFormats.ts"

export interface Declaration {
  readonly name: string
  readonly description: string
  /** The literal default; null where there is none, or where other settings decide (the description says how). */
  readonly default: string | null
  readonly expected: string
  readonly secret: boolean
  /** `nothing`: takes effect while the service runs. `start`: read at the start only, and never stored. */
  readonly needs: "nothing" | "start"
}

export interface Setting<out A> extends Config.Config<A> {
  readonly declaration: Declaration
}

export const isSetting = (value: object): value is Setting<unknown> => "declaration" in value

interface Undescribed<A> {
  readonly describe: (description: string, needs?: Declaration["needs"]) => Setting<A>
}

const declare = <A>(
  name: string,
  { expected }: Format<unknown>,
  config: Config.Config<A>,
  about: Partial<Pick<Declaration, "default" | "secret">> = {}
): Undescribed<A> => ({
  describe: (description, needs = "start") =>
    Object.assign(config, {
      declaration: { default: null, secret: false, ...about, name, description, expected, needs }
    })
})

const mistake = (name: string, expected: string) => Either.left(ConfigError.InvalidData([name], expected))

const parsed = <A>(name: string, { expected, parse }: Format<A>, text: string) =>
  Either.fromOption(parse(text.trim()), () => ConfigError.InvalidData([name], expected))

const ifGiven = <A>(name: string, format: Format<A>): Config.Config<Option.Option<A>> =>
  Config.mapOrFail(
    Config.option(Config.string(name)),
    Option.match({
      onNone: () => Either.right(Option.none()),
      onSome: (text) => Either.map(parsed(name, format, text), Option.some)
    })
  )

const redacted = <A>({ expected, parse }: Format<A>): Format<Redacted.Redacted<A>> => ({
  expected,
  parse: (text) => Option.map(parse(text), Redacted.make)
})

export const setting = <A>(name: string, format: Format<A>, literal: string): Undescribed<A> => {
  const text = Config.withDefault(Config.string(name), literal)
  return declare(name, format, Config.mapOrFail(text, (text) => parsed(name, format, text)), { default: literal })
}

export const optional = <A>(name: string, format: Format<A>): Undescribed<Option.Option<A>> =>
  declare(name, format, ifGiven(name, format))

export const secret = <A>(name: string, format: Format<A>): Undescribed<Option.Option<Redacted.Redacted<A>>> =>
  declare(name, format, ifGiven(name, redacted(format)), { secret: true })

/** Providers split the names of settings at each `_`. */
interface Branch {
  readonly value: Option.Option<string>
  readonly branches: HashMap.HashMap<string, Branch>
}

const branch: Config.Config<Branch> = Config.all({
  value: Config.option(Config.string()),
  branches: Config.suspend(() => Config.hashMap(branch))
})

const textsIn = ({ branches, value }: Branch, name: string): ReadonlyArray<readonly [string, string]> => [
  ...Option.toArray(Option.map(value, (text) => [name, text] as const)),
  ...Array.from(branches).flatMap(([segment, inner]) => textsIn(inner, name === "" ? segment : `${name}_${segment}`))
]

/** The names of everything that is given, whether or not it is a setting. */
export const namesGiven: Config.Config<ReadonlyArray<string>> = Config.map(
  branch,
  (given) => textsIn(given, "").map(([name]) => name)
)

/** Nothing would ask for a setting with another name. */
const wellNamed = (prefix: string, name: string) => {
  if (/^[A-Z0-9_]+$/.test(name)) return Either.right(name)
  const spelled = name.toUpperCase().replace(/[^A-Z0-9]/g, "_")
  const fix = spelled === "" ? "followed by a name" : `spelled ${prefix}${spelled}`
  return mistake(name, `${fix} (capital letters, digits and _)`)
}

const wordsOf = (name: string): ReadonlyArray<string> => name.split("_").filter((word) => word !== "")

/** Every setting that is given under `prefix`, by the rest of its name, in which one `_` is as good as several. */
const givenByName = <A>(prefix: string, format: Format<A>): Config.Config<ReadonlyMap<string, A>> => {
  const path = prefix.replace(/_$/, "").split("_")
  const given = path.reduceRight<typeof branch>((config, segment) => Config.nested(config, segment), branch)
  return Config.mapOrFail(given, (given) =>
    Either.map(
      Either.all(
        textsIn(given, "").map(([name, text]) => Either.all([wellNamed(prefix, name), parsed(name, format, text)]))
      ),
      (entries) => new Map(entries.map(([name, value]) => [wordsOf(name).join("_"), value]))
    ))
}

/** Settings whose names the operator completes: `variable` is what follows the prefix, in capitals. */
export const settingsByName = <A>(
  prefix: string,
  variable: string,
  format: Format<A>
): Undescribed<ReadonlyMap<string, A>> => declare(`${prefix}<${variable}>`, format, givenByName(prefix, format))

export const secretsByName = <A>(
  prefix: string,
  variable: string,
  format: Format<A>
): Undescribed<ReadonlyMap<string, Redacted.Redacted<A>>> =>
  declare(`${prefix}<${variable}>`, format, givenByName(prefix, redacted(format)), { secret: true })

const violated = (name: string, expected: string | null) => expected === null ? Either.void : mistake(name, expected)

/** A rule between settings: what `setting` must be, if the others conflict with it; or null. */
export const rule = <A, B>(
  setting: Setting<A>,
  others: Config.Config<B>,
  violation: (value: A, others: B) => string | null
): Config.Config<void> =>
  Config.mapOrFail(
    Config.all([setting, others]),
    ([value, other]) => violated(setting.declaration.name, violation(value, other))
  )

/** As `rule`, for each of the settings whose names the operator completes. */
export const ruleByName = <A, B>(
  setting: Setting<ReadonlyMap<string, A>>,
  others: Config.Config<B>,
  violation: (value: A, others: B, name: string) => string | null
): Config.Config<unknown> =>
  Config.mapOrFail(
    Config.all([setting, others]),
    ([given, other]) =>
      Either.all(Array.from(given, ([name, value]) =>
        violated(setting.declaration.name.replace(/<\w+>$/, name), violation(value, other, name))))
  )

/** A rule between settings: while `condition` holds, `setting` must be set. */
export const required = (
  setting: Setting<Option.Option<unknown>>,
  condition: Config.Config<boolean>,
  because: string
): Config.Config<void> =>
  rule(
    setting,
    condition,
    (value, holds) =>
      holds && Option.isNone(value) ? `${setting.declaration.expected} (required because ${because})` : null
  )
