import { DateTime } from "effect"

export type Field = number | string | boolean | null | undefined | ReadonlyArray<number>
export type Fields = Readonly<Record<string, Field>>

/** Prints a measurement as one line of JSON. */
export const print = (bench: string, fields: Fields): void => {
  const line = { peer: "troupe", bench, at: DateTime.formatIso(DateTime.unsafeNow()), node: process.version, ...fields }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** A difference divided by `count`; null where it could not be read. */
export const each = (after: number | null, before: number | null, count: number, digits = 2): number | null =>
  after === null || before === null ? null : round((after - before) / count, digits)

export const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)

export const median = (values: ReadonlyArray<number>): number => quantile(ascending(values), 0.5)
