import type { MetricData } from "@opentelemetry/sdk-metrics"
import { Effect } from "effect"
import { refresh } from "./Metrics.ts"

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
  yield* refresh
  const { resourceMetrics: { resource, scopeMetrics } } = yield* Effect.promise(() => producer.collect())
  // Metrics of libraries are left out, because their names may change.
  const ours = scopeMetrics.map(({ metrics, scope }) => ({
    scope,
    metrics: metrics.filter(({ descriptor }) => descriptor.name.startsWith(prefix)).map(withoutUnit)
  }))
  return new PrometheusSerializer(undefined, false, undefined, true, true)
    .serialize({ resource, scopeMetrics: ours })
})
