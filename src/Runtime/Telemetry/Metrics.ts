import type { MetricData } from "@opentelemetry/sdk-metrics"
import { Effect, Metric, MetricBoundaries, type MetricKeyType, MetricLabel, type Scope } from "effect"

type Labels = Readonly<Record<string, ReadonlyArray<string>>>

export const open: ReadonlyArray<string> = []

type Values<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] }

type Labelled<L extends Labels> = keyof L extends never ? [] : [values: Values<L>]

/** No effect, which would cost more than the addition. Label values are few, never an id or a text from outside. */
export type Instrument<L extends Labels = Record<never, never>> = (amount: number, ...labelled: Labelled<L>) => void

export const counter = <const L extends Labels = Record<never, never>>(
  name: string,
  description: string,
  labels?: L
): Instrument<L> => instrument(Metric.counter(name, { description, incremental: true }), labels)

export const histogram = <const L extends Labels = Record<never, never>>(
  name: string,
  description: string,
  bounds: Iterable<number>,
  labels?: L
): Instrument<L> => instrument(Metric.histogram(name, MetricBoundaries.fromIterable(bounds), description), labels)

/** Metrics that are read only at a scrape, from all sources in this process; of several sources the sum is shown. */
export type Observed<L extends Labels = Record<never, never>> = (
  read: () => number,
  ...labelled: Labelled<L>
) => Effect.Effect<void, never, Scope.Scope>

export const gauge = <const L extends Labels = Record<never, never>>(
  name: string,
  description: string,
  labels?: L
): Observed<L> => {
  const set = instrument(Metric.gauge(name, { description }), labels)
  return observed((sum, _, labelled) => set(sum, ...labelled))
}

export const total = <const L extends Labels = Record<never, never>>(
  name: string,
  description: string,
  labels?: L
): Observed<L> => {
  const add = counter(name, description, labels)
  return observed((sum, last, labelled) => add(Math.max(0, sum - last), ...labelled))
}

export const stopwatch = (): () => number => {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}

export const secondsUpTo = (max: number): ReadonlyArray<number> =>
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300].filter((at) => at <= max)

const readings = new Set<() => void>()

const maxSeries = 1000

const none: ReadonlyArray<MetricLabel.MetricLabel> = []

const instrument = <Type extends MetricKeyType.MetricKeyType<number, unknown>, Out, L extends Labels>(
  metric: Metric.Metric<Type, number, Out>,
  labels?: L
): Instrument<L> => {
  const names = Object.keys(labels ?? {})
  const series = new Map<string, ReadonlyArray<MetricLabel.MetricLabel>>()
  const seriesOf = (values: Readonly<Record<string, string>> | undefined): ReadonlyArray<MetricLabel.MetricLabel> => {
    if (values === undefined) return none
    let key = ""
    for (const name of names) key += `${values[name] ?? ""}\n`
    const known = series.get(key)
    if (known !== undefined) return known
    const isFull = series.size >= maxSeries
    const made = names.map((name) => MetricLabel.make(name, isFull ? "other" : values[name] ?? ""))
    if (!isFull) series.set(key, made)
    return made
  }
  if (names.length === 0) metric.unsafeValue(none)
  for (const values of combinations(Object.entries(labels ?? {}))) metric.unsafeValue(seriesOf(values))
  return (amount, ...[values]: [values?: Values<L>]) => metric.unsafeUpdate(amount, seriesOf(values))
}

const combinations = (
  [first, ...others]: ReadonlyArray<readonly [string, ReadonlyArray<string>]>
): ReadonlyArray<Readonly<Record<string, string>>> => {
  if (first === undefined) return []
  const [name, values] = first
  const rest = others.length === 0 ? [{}] : combinations(others)
  return values.flatMap((value) => rest.map((more) => ({ [name]: value, ...more })))
}

const observed = <L extends Labels>(
  show: (sum: number, last: number, labelled: Labelled<L>) => void
): Observed<L> => {
  const sources = new Map<string, { readonly reads: Set<() => number>; readonly refresh: () => void }>()
  const sourceOf = (labelled: Labelled<L>) => {
    const key = JSON.stringify(labelled)
    const known = sources.get(key)
    if (known !== undefined) return known
    const reads = new Set<() => number>()
    let last = 0
    const refresh = () => {
      let sum = 0
      for (const read of reads) sum += read()
      show(sum, last, labelled)
      last = sum
    }
    const made = { reads, refresh }
    sources.set(key, made)
    readings.add(refresh)
    return made
  }
  return (read, ...labelled) =>
    Effect.acquireRelease(
      Effect.sync(() => sourceOf(labelled).reads.add(read)),
      () => Effect.sync(() => sourceOf(labelled).reads.delete(read))
    )
}

const prefix = "troupe_"

/** Names contain the unit; comments about it belong to another format. */
const withoutUnit = (metric: MetricData): MetricData => ({
  ...metric,
  descriptor: { ...metric.descriptor, unit: "" }
})

// Loaded by the first scrape: it takes longer than all the rest of a start, and many services are never scraped.
const load = Effect.promise(() =>
  Promise.all([
    import("@effect/opentelemetry/Metrics"),
    import("@effect/opentelemetry/Resource"),
    import("@opentelemetry/exporter-prometheus"),
    import("@opentelemetry/resources")
  ])
)

export const prometheusText: Effect.Effect<string> = Effect.gen(function*() {
  const [{ makeProducer }, { Resource }, { PrometheusSerializer }, { emptyResource }] = yield* load
  const producer = yield* Effect.provideService(makeProducer, Resource, emptyResource())
  readings.forEach((read) => read())
  const { resourceMetrics: { resource, scopeMetrics } } = yield* Effect.promise(() => producer.collect())
  // Metrics of libraries are left out, because their names may change.
  const ours = scopeMetrics.map(({ metrics, scope }) => ({
    scope,
    metrics: metrics.filter(({ descriptor }) => descriptor.name.startsWith(prefix)).map(withoutUnit)
  }))
  return new PrometheusSerializer(undefined, false, undefined, true, true)
    .serialize({ resource, scopeMetrics: ours })
})
