import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { prometheusText } from "../../src/Runtime/Telemetry/Metrics.ts"

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What a metric says of itself, with its samples. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, c: string) => c === "n" ? "\n" : c)

const labelsOf = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== "";) {
    const found = label.exec(rest)
    if (found === null) throw new Error(`no label: ${rest}`)
    const [whole, name = "", value = ""] = found
    assert.notProperty(labels, name)
    labels[name] = unescaped(value)
    rest = rest.slice(whole.length)
  }
  return labels
}

const numberOf = (text: string): number => {
  if (text === "+Inf") return Infinity
  const value = Number(text)
  assert.isFalse(Number.isNaN(value), text)
  return value
}

const suffixes: Readonly<Record<string, ReadonlyArray<string>>> = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"]
}

/** Reads the format strictly (prometheus.io/docs/instrumenting/exposition_formats): each family once, HELP, TYPE, samples. */
export const parsePrometheus = (text: string): ReadonlyMap<string, Family> => {
  assert.isTrue(text.endsWith("\n"))
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const found = new Set<string>()
  let help: readonly [name: string, text: string] | null = null
  let current: (Family & { readonly samples: Array<Sample> }) | null = null
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === "HELP") help = [name, unescaped(rest)]
    else if (kind === "TYPE") {
      assert.strictEqual(help?.[0], name)
      assert.isFalse(families.has(name), `${name} twice`)
      current = { name, type: rest, help: help?.[1] ?? "", samples: [] }
      families.set(name, current)
    } else {
      const parts = sample.exec(line)
      if (parts === null || current === null) throw new Error(`no sample: ${line}`)
      const [, name = "", labels = "", value = ""] = parts
      const { name: family, samples, type } = current
      assert.isTrue(suffixes[type]?.some((suffix) => name === family + suffix), `${name} of ${family}`)
      const read = { name, labels: labelsOf(labels), value: numberOf(value) }
      const series = JSON.stringify([name, read.labels])
      assert.isFalse(found.has(series), `${series} twice`)
      found.add(series)
      samples.push(read)
    }
  }
  return families
}

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
