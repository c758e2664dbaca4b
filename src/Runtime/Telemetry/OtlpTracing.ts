import type { ExportResult } from "@opentelemetry/core"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace"
import { Duration, Effect, Layer, Option, Redacted, Runtime, type Scope, Tracer } from "effect"
import { errorCode } from "../ErrorText.ts"
import { hiddenSpan } from "./HiddenSpan.ts"

export interface TracingSettings {
  readonly endpoint: URL
  readonly headers: Option.Option<Redacted.Redacted<Readonly<Record<string, string>>>>
  readonly serviceName: string
  readonly sampleRatio: number
}

export interface TracingOptions {
  readonly version: string
  readonly timeout?: Duration.DurationInput
}

/** Maximum number of spans that wait for a collector; further ones are dropped. */
const maxWaiting = 2048

/** The only exported spans besides requests, because spans of libraries may contain anything. */
const exported = new Set(["claim", "preparation", "model step", "tool step", "commit"])
/** Those of the GenAI conventions are named by their operation and its agent, model or tool. */
const operations = new Set(["invoke_agent", "chat", "execute_tool"])
const isExported = (name: string) => exported.has(name) || operations.has(name.split(" ", 1)[0] ?? "")

const load = Effect.promise(() =>
  Promise.all([
    import("@effect/opentelemetry/Tracer"),
    import("@opentelemetry/core"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace")
  ])
)

/** Exports spans in batches. Losses are logged once, and once more when they end. A shutdown waits at most a second. */
export const make = (
  { endpoint, headers, sampleRatio, serviceName }: TracingSettings,
  { timeout = "10 seconds", version }: TracingOptions
): Effect.Effect<Tracer.Tracer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [otel, core, { OTLPTraceExporter }, { resourceFromAttributes }, sdk] = yield* load
    const notice = lossLogger(yield* Effect.runtime<never>(), core.ExportResultCode.SUCCESS)
    const exporter = new OTLPTraceExporter({
      url: tracesAt(endpoint),
      headers: Option.match(headers, { onNone: () => ({}), onSome: (given) => ({ ...Redacted.value(given) }) }),
      timeoutMillis: Duration.toMillis(timeout)
    })
    const provider = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new sdk.TracerProvider({
          resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
          sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(sampleRatio) }),
          spanProcessors: [
            new sdk.BatchSpanProcessor({
              exporter: redacting(exporter, notice),
              maxQueueSize: maxWaiting,
              exportTimeoutMillis: Duration.toMillis(timeout) + 1000
            })
          ]
        })
      ),
      // In an uninterruptible finalizer a time-out would wait for the work that it should end.
      (provider) =>
        Effect.tryPromise(() => provider.shutdown()).pipe(
          Effect.interruptible,
          Effect.timeout("1 second"),
          Effect.ignore
        )
    )
    const tracer = yield* Effect.provideService(otel.make, otel.OtelTracer, provider.getTracer("troupe", version))

    /** The caller's sampling decision, which the library does not read from Effect's external span. */
    const sampledAsParent = (parent: Tracer.AnySpan) =>
      parent._tag === "Span" ? parent : otel.makeExternalSpan({ ...parent, traceFlags: parent.sampled ? 1 : 0 })
    return Tracer.make({
      span: (name, parent, ...rest) => {
        const [, , , kind] = rest
        return kind === "server" || isExported(name)
          ? tracer.span(name, Option.map(parent, sampledAsParent), ...rest)
          : hiddenSpan(name, parent)
      },
      context: (execution) => execution()
    })
  })

const tracesAt = (endpoint: URL): string => {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/v1/traces`
  return url.href
}

const code = { unset: 0, error: 2 }

/** Of an error only its class remains, and a request is named by its route. */
const redacted = (span: ReadableSpan): ReadableSpan => {
  const { attributes, events, name } = span
  const exception = events.find(({ name }) => name === "exception")
  const route = attributes["http.route"]
  const message = exception === undefined ? {} : { message: String(exception.attributes?.["exception.type"]) }
  const isError = exception !== undefined || attributes["error.type"] !== undefined
  return Object.create(span, {
    name: { value: route === undefined ? name : `${name} ${String(route)}` },
    events: { value: [] },
    status: { value: isError ? { code: code.error, ...message } : { code: code.unset } }
  })
}

const redacting = (exporter: SpanExporter, notice: (result: ExportResult) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans.map(redacted), (result) => {
      notice(result)
      done(result)
    }),
  shutdown: () => exporter.shutdown()
})

const lossLogger = (runtime: Runtime.Runtime<never>, success: number) => {
  let isLosing = false
  return ({ code, error }: ExportResult): void => {
    if (isLosing === (code !== success)) return
    isLosing = !isLosing
    const why = errorCode(error) || "no response"
    Runtime.runFork(runtime)(
      isLosing
        ? Effect.logWarning(
          `Exporting spans to OTEL_EXPORTER_OTLP_ENDPOINT failed (${why}); they are dropped until it works`
        )
        : Effect.logInfo("Exporting spans to OTEL_EXPORTER_OTLP_ENDPOINT works again")
    )
  }
}

/** Spans where there are settings for them. Elsewhere tracing is off, so that a span costs nearly nothing. */
export const layer = (settings: Option.Option<TracingSettings>, options: TracingOptions): Layer.Layer<never> =>
  Option.match(settings, {
    onNone: () => Layer.setTracerEnabled(false),
    onSome: (settings) => Layer.unwrapScoped(Effect.map(make(settings, options), Layer.setTracer))
  })
