import { Config, ConfigError, Either, type HashMap, Option, Redacted, Schema, SchemaAST } from "effect"
import type { Format } from "./SettingFormats.ts"

export interface Declaration {
  readonly name: string
  readonly description: string
  /** The literal default; null where there is none, or where other settings decide (the description says how). */
  readonly default: string | null
  readonly expected: string
  readonly secret: boolean
}

export interface Setting<out A> extends Config.Config<A> {
  readonly declaration: Declaration
}

export const isSetting = (value: object): value is Setting<unknown> => "declaration" in value

interface Undescribed<A> {
  readonly describe: (description: string) => Setting<A>
}

const declare = <A>(config: Config.Config<A>, about: Omit<Declaration, "description">): Undescribed<A> => ({
  describe: (description) => Object.assign(config, { declaration: { ...about, description } })
})

const decoder = <A>(name: string, format: Format<A>) => {
  const decode = Schema.decodeEither(format)
  const expected = Option.getOrElse(SchemaAST.getDescriptionAnnotation(format.ast), () => "valid")
  return {
    expected,
    decode: (text: string) => Either.mapLeft(decode(text.trim()), () => ConfigError.InvalidData([name], expected))
  }
}

const ifGiven = <A, B>(decode: (given: A) => Either.Either<B, ConfigError.ConfigError>) =>
  Config.mapOrFail((given: Option.Option<A>) =>
    Option.match(given, {
      onNone: () => Either.right(Option.none()),
      onSome: (value) => Either.map(decode(value), Option.some)
    })
  )

export const setting = <A>(name: string, format: Format<A>, literal: string): Undescribed<A> => {
  const { decode, expected } = decoder(name, format)
  const config = Config.string(name).pipe(Config.withDefault(literal), Config.mapOrFail(decode))
  return declare(config, { name, expected, default: literal, secret: false })
}

export const optional = <A>(name: string, format: Format<A>): Undescribed<Option.Option<A>> => {
  const { decode, expected } = decoder(name, format)
  const config = Config.option(Config.string(name)).pipe(ifGiven(decode))
  return declare(config, { name, expected, default: null, secret: false })
}

export const secret = (name: string, format: Format<string>): Undescribed<Option.Option<Redacted.Redacted>> => {
  const { decode, expected } = decoder(name, format)
  const config = Config.option(Config.redacted(name)).pipe(
    ifGiven((given) => Either.map(decode(Redacted.value(given)), (text) => Redacted.make(text)))
  )
  return declare(config, { name, expected, default: null, secret: true })
}

/** Every setting that is given under `prefix`, by the rest of its name. */
const byName = (prefix: string): Config.Config<ReadonlyMap<string, string>> => {
  const path = prefix.replace(/_$/, "").split("_")
  const [last = ""] = path.slice(-1)
  return path.slice(0, -1).reduceRight(
    (config, segment) => Config.nested(config, segment),
    Config.nested(Config.map(branch, (found) => new Map(namesIn(found, ""))), last)
  )
}

/** Providers split the names of settings at each `_`. */
interface Branch {
  readonly value: Option.Option<string>
  readonly branches: HashMap.HashMap<string, Branch>
}

const branch: Config.Config<Branch> = Config.all({
  value: Config.option(Config.string()),
  branches: Config.suspend(() => Config.hashMap(branch))
})

const namesIn = ({ branches, value }: Branch, name: string): ReadonlyArray<readonly [string, string]> => [
  ...(Option.isNone(value) ? [] : [[name, value.value] as const]),
  ...Array.from(branches).flatMap(([segment, inner]) => namesIn(inner, name === "" ? segment : `${name}_${segment}`))
]

/** Nothing would ask for a setting with another name. */
const wellNamed = (prefix: string, name: string): Either.Either<void, ConfigError.ConfigError> => {
  if (/^[A-Z0-9_]+$/.test(name)) return Either.void
  const spelled = name.toUpperCase().replace(/[^A-Z0-9]/g, "_")
  const fix = spelled === "" ? "followed by a name" : `spelled ${prefix}${spelled}`
  return Either.left(ConfigError.InvalidData([name], `${fix} (capital letters, digits and _)`))
}

const decodedByName = <A>(prefix: string, format: Format<A>) => {
  const { expected } = decoder(prefix, format)
  const config = Config.mapOrFail(byName(prefix), (given) =>
    Either.map(
      Either.all([...given].map(([name, text]) =>
        Either.flatMap(
          wellNamed(prefix, name),
          () => Either.map(decoder(name, format).decode(text), (value) => [name, value] as const)
        )
      )),
      (entries): ReadonlyMap<string, A> => new Map(entries)
    ))
  return { config, expected }
}

/** Settings whose names the operator completes: `variable` is what follows the prefix, in capitals. */
export const settingsByName = <A>(
  prefix: string,
  variable: string,
  format: Format<A>
): Undescribed<ReadonlyMap<string, A>> => {
  const { config, expected } = decodedByName(prefix, format)
  return declare(config, { name: `${prefix}<${variable}>`, expected, default: null, secret: false })
}

export const secretsByName = (
  prefix: string,
  variable: string,
  format: Format<string>
): Undescribed<ReadonlyMap<string, Redacted.Redacted>> => {
  const { config, expected } = decodedByName(prefix, format)
  return declare(
    Config.map(config, (given) => new Map(Array.from(given, ([name, text]) => [name, Redacted.make(text)]))),
    { name: `${prefix}<${variable}>`, expected, default: null, secret: true }
  )
}

/** A rule between settings: what `setting` must be, if the others conflict with it; or null. */
export const rule = <A, B>(
  setting: Setting<A>,
  others: Config.Config<B>,
  violation: (value: A, others: B) => string | null
): Config.Config<void> =>
  Config.all([setting, others]).pipe(
    Config.mapOrFail(([value, other]) => {
      const expected = violation(value, other)
      return expected === null
        ? Either.void
        : Either.left(ConfigError.InvalidData([setting.declaration.name], expected))
    })
  )

/** A rule for settings whose names the operator completes: what one of them must be, if it conflicts with the others; or null. */
export const ruleByName = <A, B>(
  setting: Setting<ReadonlyMap<string, A>>,
  others: Config.Config<B>,
  violation: (value: A, others: B, name: string) => string | null
): Config.Config<void> =>
  Config.all([setting, others]).pipe(
    Config.mapOrFail(([given, other]) =>
      Either.map(
        Either.all(Array.from(given, ([name, value]) => {
          const expected = violation(value, other, name)
          return expected === null
            ? Either.void
            : Either.left(ConfigError.InvalidData([setting.declaration.name.replace(/<\w+>$/, name)], expected))
        })),
        () => undefined
      )
    )
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
