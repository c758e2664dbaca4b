import { Schema } from "effect"

const PerMillionTokens = Schema.Finite.pipe(Schema.nonNegative())

/** What a model costs per million tokens, in the currency in which its prices are given. */
export const ModelPrice = Schema.Struct({ input: PerMillionTokens, output: PerMillionTokens })
export type ModelPrice = typeof ModelPrice.Type

export const ModelPrices = Schema.Record({ key: Schema.NonEmptyString, value: ModelPrice })
export type ModelPrices = typeof ModelPrices.Type

export const costOf = ({ input, output }: ModelPrice, tokens: readonly [number, number]): number =>
  rounded((tokens[0] * input + tokens[1] * output) / 1_000_000)

/** To a billionth, so that sums show no error of binary fractions. */
export const rounded = (cost: number): number => Math.round(cost * 1e9) / 1e9
