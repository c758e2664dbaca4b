import type { Context as TraceContext, Span } from "@opentelemetry/api"
import type { ExportResult } from "@opentelemetry/core"
import type { SpanExporter } from "@opentelemetry/sdk-trace"
import { Cause, Context, Duration, Effect, Exit, Layer, Option, Predicate, Redacted, Runtime, type Scope } from "effect"
import { headersOf } from "./OtlpHeaders.ts"
import { Settings } from "./Settings.ts"
import { type Facts, off, type SpanOf, type Tracer, Tracing } from "./Tracing.ts"

/** Where spans go. */
export type TracingSettings = Option.Option.Value<Settings["Type"]["tracing"]>

export interface TracingOptions {
  /** Version of the service. */
  readonly version: string
  /** How long a collector may take to answer; 10 s by default. */
  readonly patience?: Duration.DurationInput
}

/** What waits for a collector that is away or slow; more is dropped. */
const mostWaiting = 2048

/** The span around the work at hand, and what the spans within it tell, too. */
class Surrounding extends Context.Reference<Surrounding>()("troupe/Runtime/OtlpTracing/Surrounding", {
  defaultValue: (): { readonly context: TraceContext; readonly facts: Facts } | null => null
}) {}

const load = Effect.promise(() =>
  Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace")
  ])
)

/**
 * Spans, sent to an OTLP collector over HTTP in batches. A collector that is away is told of once in the log; of what
 * it misses a bounded number waits. The end waits a second for the last ones to be taken.
 */
export const make = (
  { endpoint, headers, sampleRatio, serviceName }: TracingSettings,
  { patience = "10 seconds", version }: TracingOptions
): Effect.Effect<Tracer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [api, core, { OTLPTraceExporter }, { resourceFromAttributes }, sdk] = yield* load
    const notice = noticing(yield* Effect.runtime<never>(), core.ExportResultCode.SUCCESS)
    const exporter = new OTLPTraceExporter({
      url: tracesAt(endpoint),
      headers: Option.match(headers, { onNone: () => ({}), onSome: (text) => headersOf(Redacted.value(text)) }),
      timeoutMillis: Duration.toMillis(patience)
    })
    const provider = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new sdk.TracerProvider({
          resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
          sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(sampleRatio) }),
          spanProcessors: [
            new sdk.BatchSpanProcessor({
              exporter: watched(exporter, notice),
              maxQueueSize: mostWaiting,
              exportTimeoutMillis: Duration.toMillis(patience) + 1000
            })
          ]
        })
      ),
      // A finalizer is uninterruptible, and there a time-out would wait for what it is to end.
      (provider) =>
        Effect.tryPromise(() => provider.shutdown()).pipe(
          Effect.interruptible,
          Effect.timeout("1 second"),
          Effect.ignore
        )
    )
    const tracer = provider.getTracer("troupe", version)
    const propagator = new core.W3CTraceContextPropagator()
    const clock = yield* Effect.clock

    const end = <A>(span: Span, { ended }: SpanOf<A>, exit: Exit.Exit<A, unknown>) => {
      if (Exit.isSuccess(exit)) {
        const { facts = {}, isError = false, name } = ended?.(exit.value) ?? {}
        span.setAttributes(facts)
        if (name !== undefined) span.updateName(name)
        if (isError) span.setStatus({ code: api.SpanStatusCode.ERROR })
      } else if (Cause.isInterruptedOnly(exit.cause)) {
        span.setAttribute("interrupted", true)
      } else {
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: kindOf(exit.cause) })
      }
      span.end()
    }

    const traced = <A, E, R>(spanOf: SpanOf<A>, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiberRuntime((fiber) => {
        const { begins = null, facts = {}, headers, name } = spanOf
        const around = Context.get(fiber.currentContext, Surrounding)
        const parent = around?.context ?? (headers === undefined
          ? api.ROOT_CONTEXT
          : propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter))
        const span = tracer.startSpan(name, {
          kind: headers === undefined ? api.SpanKind.INTERNAL : api.SpanKind.SERVER,
          ...(begins === null ? {} : { startTime: begins.from }),
          attributes: { ...around?.facts, ...facts }
        }, parent)
        const context = api.trace.setSpan(parent, span)
        const { epoch, task_id } = { ...around?.facts, ...facts }
        const shared: Facts = task_id === undefined || epoch === undefined ? {} : { task_id, epoch }
        if (begins !== null) {
          tracer.startSpan(begins.name, { startTime: begins.from, attributes: shared }, context).end(begins.to)
        }
        return Effect.provideService(work, Surrounding, { context, facts: shared }).pipe(
          Effect.onExit((exit) => Effect.sync(() => end(span, spanOf, exit)))
        )
      })

    return { isOn: true, now: () => clock.unsafeCurrentTimeMillis(), traced }
  })

const tracesAt = (endpoint: URL): string => {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/v1/traces`
  return url.href
}

/** What a cause is, without its words. */
const kindOf = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => "defect",
    onSome: (error) => Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag) ? error._tag : "failure"
  })

const watched = (exporter: SpanExporter, notice: (result: ExportResult) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      notice(result)
      done(result)
    }),
  shutdown: () => exporter.shutdown()
})

/** Tells the log when spans begin to be lost, and when they arrive again. */
const noticing = (runtime: Runtime.Runtime<never>, success: number) => {
  let isLosing = false
  return ({ code, error }: ExportResult): void => {
    if (isLosing === (code !== success)) return
    isLosing = !isLosing
    const why = Predicate.hasProperty(error, "code") ? String(error.code) : "no answer"
    Runtime.runFork(runtime)(
      isLosing
        ? Effect.logWarning(`Spans don't reach OTEL_EXPORTER_OTLP_ENDPOINT (${why}); until they do, they are dropped`)
        : Effect.logInfo("Spans reach OTEL_EXPORTER_OTLP_ENDPOINT again")
    )
  }
}

/** Spans where OTEL_EXPORTER_OTLP_ENDPOINT is set, none elsewhere. */
export const layer = (options: TracingOptions): Layer.Layer<never, never, Settings> =>
  Layer.scoped(
    Tracing,
    Effect.flatMap(Settings, ({ tracing }) =>
      Option.match(tracing, {
        onNone: () => Effect.succeed(off),
        onSome: (settings) => make(settings, options)
      }))
  )
