import { Effect } from "effect"
import { prometheusText } from "../../src/Runtime/Telemetry/Metrics.ts"

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What a metric says of itself, with its samples. */
export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: Array<Sample>
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, c: string) => c === "n" ? "\n" : c)

/** Reads the page of metrics (prometheus.io/docs/instrumenting/exposition_formats). */
export const parsePrometheus = (text: string): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>()
  for (const [, help = "", name = "", type = "", lines = ""] of text.matchAll(page)) {
    const samples = Array.from(
      lines.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)\n/gm),
      ([, name = "", labels = "", value]) => ({
        name,
        labels: Object.fromEntries(
          Array.from(labels.matchAll(label), ([, name = "", value = ""]) => [name, unescaped(value)])
        ),
        value: value === "+Inf" ? Infinity : Number(value)
      })
    )
    families.set(name, { type, help: unescaped(help), samples })
  }
  return families
}

const page = /^# HELP \w+ (.*)\n# TYPE (\w+) (\w+)\n((?:[^#].*\n)*)/gm

const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** The value of a series, 0 where it is not there; its labels must be exactly these. */
export const valueOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number => {
  const wanted = Object.entries(labels)
  const samples = Array.from(families.values()).flatMap(({ samples }) => samples)
  return samples.find((sample) =>
    sample.name === name && Object.keys(sample.labels).length === wanted.length
    && wanted.every(([label, value]) => sample.labels[label] === value)
  )?.value ?? 0
}

export const scraped = Effect.map(prometheusText, parsePrometheus)

/** By how much series grew in the meantime: instruments are the process's, and other tests move them too. */
export const growth = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before = yield* scraped
    const result = yield* body
    const after = yield* scraped
    const of = (name: string, labels?: Readonly<Record<string, string>>) =>
      valueOf(after, name, labels) - valueOf(before, name, labels)
    return { result, of }
  })
