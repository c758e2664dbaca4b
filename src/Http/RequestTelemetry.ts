import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { Context, Effect, Option, Tracer } from "effect"
import { counter, histogram, open, secondsUpTo, stopwatch } from "../Runtime/Telemetry/Metrics.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const requests = counter("troupe_http_requests", "Requests that were answered, by the template of their path.", {
  method: open,
  route: open,
  status: open
})

const requestSeconds = histogram(
  "troupe_http_request_seconds",
  "From when a request came to the beginning of its answer.",
  secondsUpTo(30),
  { method: open, route: open }
)

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const count = (given: string, route: string | null, status: number, seconds: number): void => {
  const method = methods.has(given) ? given : "other"
  requests(1, { method, route: route ?? "none", status: `${Math.floor(status / 100)}xx` })
  requestSeconds(seconds, { method, route: route ?? "none" })
}

const started: Tracer.SpanStatus = { _tag: "Started", startTime: 0n }
const none = new Map<string, unknown>()

/** A span, never exported: the router publishes the path's template only as the attribute `http.route`. */
class RouteTemplate implements Tracer.Span {
  readonly _tag = "Span"
  readonly name = "request"
  readonly spanId = "0000000000000000"
  readonly traceId = "00000000000000000000000000000000"
  readonly parent = Option.none<Tracer.AnySpan>()
  readonly context = Context.make(Tracer.DisablePropagation, true)
  readonly status = started
  readonly attributes: ReadonlyMap<string, unknown> = none
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly sampled = false
  readonly kind = "internal"
  route: string | null = null

  attribute(key: string, value: unknown): void {
    if (key === "http.route" && typeof value === "string") this.route = value
  }
  event(): void {}
  addLinks(): void {}
  end(): void {}
}

/** The span has no address, which may contain a search text, and no headers. */
const spanOf = ({ headers, method }: Request, id: string): Tracer.SpanOptions => ({
  kind: "server",
  root: true,
  attributes: { "http.request.method": method, request_id: id },
  captureStackTrace: false,
  ...(headers["traceparent"] === undefined ? {} : Option.match(HttpTraceContext.w3c(headers), {
    onNone: () => ({}),
    onSome: (parent) => ({ parent })
  }))
})

/** Measures a response, and puts it in a span. The router is to run in `template`, which receives the path's template. */
export const measured = <R>(
  request: Request,
  id: string,
  answer: (template: Tracer.Span) => Effect.Effect<Response, never, R>
): Effect.Effect<Response, never, R> =>
  Effect.useSpan(request.method, spanOf(request, id), (span) => {
    const elapsed = stopwatch()
    const template = new RouteTemplate()
    return Effect.map(answer(template), (response) => {
      const { status } = response
      count(request.method, template.route, status, elapsed())
      span.attribute("http.response.status_code", status)
      if (template.route !== null) span.attribute("http.route", template.route)
      if (status >= 500) span.attribute("error.type", String(status))
      return response
    })
  })
