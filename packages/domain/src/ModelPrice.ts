import { Schema } from "effect"

const PerMillionTokens = Schema.Finite.pipe(Schema.nonNegative())

/** What a model costs per million tokens, in the currency in which its prices are given. */
export const ModelPrice = Schema.Struct({
  input: PerMillionTokens.annotations({ description: "Per million tokens of input" }),
  output: PerMillionTokens.annotations({ description: "Per million tokens of output" }),
  cached_input: Schema.optionalWith(
    PerMillionTokens.annotations({ description: "Per million tokens of input that the provider had cached" }),
    { exact: true }
  )
})
export type ModelPrice = typeof ModelPrice.Type

export const ModelPrices = Schema.Record({ key: Schema.NonEmptyString, value: ModelPrice })
export type ModelPrices = typeof ModelPrices.Type

/** Without the maker that gateways write before a name, and the tag of its newest version. */
const bareName = (name: string): string => name.trim().toLowerCase().replace(/^.*\//, "").replace(/(?::|-)latest$/, "")

/** Without the version at its end: `-2024-08-06`, `-20250514`, `@20250514`, `-0613` or `-002`. */
const unversioned = (name: string): string => name.replace(/[-@](?:\d{4}-\d\d-\d\d|\d{8}|\d{4}|00\d)$/, "")

/**
 * The price of a model: under its own name, else under one that differs in its maker, case, version or `latest` alone. Of two
 * prices that are equally near and differ, neither is its price.
 */
export const priceOf = (prices: ModelPrices, model: string): ModelPrice | undefined => {
  const own = Object.entries(prices).find(([name]) => name === model)
  if (own !== undefined) return own[1]
  const bare = bareName(model)
  const named = Object.entries(prices).map(([name, price]) => ({ name: bareName(name), price }))
  const nearest = [
    named.filter(({ name }) => name === bare),
    named.filter(({ name }) => name === unversioned(bare)),
    named.filter(({ name }) => unversioned(name) === bare)
  ].find(({ length }) => length > 0) ?? []
  const [first, ...others] = nearest.map(({ price }) => price)
  return first !== undefined && others.every(({ input, output }) => input === first.input && output === first.output)
    ? first
    : undefined
}

/** `cached`: how much of the input the provider had cached. */
export const costOf = (
  { cached_input, input, output }: ModelPrice,
  tokens: readonly [number, number],
  cached = 0
): number =>
  rounded(
    (tokens[0] * input + tokens[1] * output - Math.min(cached, tokens[0]) * (input - (cached_input ?? input))) /
      1_000_000
  )

/** To a billionth, so that sums show no error of binary fractions. */
export const rounded = (cost: number): number => Math.round(cost * 1e9) / 1e9
