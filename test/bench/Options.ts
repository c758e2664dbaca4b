import { Data, Effect } from "effect"
import { parseArgs } from "node:util"

export const measurements = [
  "worker",
  "operations",
  "chat",
  "growth",
  "paused",
  "start",
  "failover",
  "modelcall",
  "memory",
  "watchers",
  "scale"
] as const
export type Measurement = typeof measurements[number]

export const scaleParts = ["rows", "workers", "churn", "snapshot"] as const
export type ScalePart = typeof scaleParts[number]

export interface Options {
  readonly only: ReadonlyArray<Measurement>
  /** Few tasks and one window each: shows that it runs, its figures mean little. */
  readonly quick: boolean
  /** Another server than the embedded one; its user must be allowed to create databases and extensions. */
  readonly pgUrl: string | null
  /** A folder with peers: `<name>/run.mjs` with the arguments and the output of the shared harness. */
  readonly peers: string | null
  /** Number of waiting tasks beside the running ones. */
  readonly rows: number
  readonly parts: ReadonlyArray<ScalePart>
  /** Number of rows of each kind in `scale`. */
  readonly size: number
  /** How long `scale` keeps a transaction open. */
  readonly minutes: number
  /** How often each load is measured in one warm process; the median is printed. */
  readonly windows: number
}

export class OptionsInvalid extends Data.TaggedError("OptionsInvalid")<{ readonly message: string }> {}

const isMeasurement = (word: string): word is Measurement => measurements.some((known) => known === word)

export const parseOptions = (words: ReadonlyArray<string>): Effect.Effect<Options, OptionsInvalid> =>
  Effect.gen(function*() {
    const values = yield* Effect.try({
      try: () => parse(words),
      catch: (cause) => new OptionsInvalid({ message: String(cause) })
    })
    const wanted = values.only.split(",").map((word) => word.trim()).filter((word) => word !== "")
    const unknown = wanted.filter((word) => !isMeasurement(word) && word !== "peers")
    if (unknown.length > 0) {
      return yield* new OptionsInvalid({
        message: `There is no measurement ${unknown.join(", ")}. They are: ${measurements.join(", ")}, peers`
      })
    }
    return {
      only: wanted.length === 0 ? measurements : wanted.filter(isMeasurement),
      quick: values.quick,
      pgUrl: values["pg-url"] ?? null,
      peers: values.peers ?? null,
      rows: yield* wholeNumber("rows", values.rows, 100_000),
      parts: scaleParts.filter((part) => values.parts === undefined || values.parts.split(",").includes(part)),
      size: yield* wholeNumber("size", values.size ?? (values.quick ? "20000" : "1000000"), 10_000_000),
      minutes: yield* wholeNumber("minutes", values.minutes, 600),
      windows: yield* wholeNumber("windows", values.windows ?? (values.quick ? "1" : "3"), 100)
    }
  })

const parse = (words: ReadonlyArray<string>) =>
  parseArgs({
    args: [...words],
    options: {
      only: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
      "pg-url": { type: "string" },
      peers: { type: "string" },
      rows: { type: "string", default: "20000" },
      parts: { type: "string" },
      size: { type: "string" },
      minutes: { type: "string", default: "1" },
      windows: { type: "string" }
    }
  }).values

const wholeNumber = (name: string, text: string, max: number): Effect.Effect<number, OptionsInvalid> => {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= max
    ? Effect.succeed(value)
    : new OptionsInvalid({ message: `--${name} must be a whole number from 1 to ${max}` })
}
