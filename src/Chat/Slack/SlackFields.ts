import { Predicate } from "effect"

/** An object of which nothing is known: the platform adds fields, and leaves some out, at any time. */
export type Fields = Readonly<Record<string | symbol, unknown>>

export const fieldsIn = (value: unknown): Fields => Predicate.isRecord(value) ? value : {}

export const listIn = (value: unknown): ReadonlyArray<Fields> =>
  Array.isArray(value) ? value.filter(Predicate.isRecord) : []

export const textIn = (value: unknown): string => typeof value === "string" ? value : ""

/** The first of these fields that has a text. */
export const firstText = (fields: Fields, ...keys: ReadonlyArray<string>): string | null => {
  const key = keys.find((one) => textIn(fields[one]).trim() !== "")
  return key === undefined ? null : textIn(fields[key])
}
