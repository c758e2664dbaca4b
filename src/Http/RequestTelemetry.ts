import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { Effect, Option, type Tracer } from "effect"
import { hiddenSpan } from "../Runtime/Telemetry/HiddenSpan.ts"
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

/** Measures a response, and puts it in a span. */
export const measured = <R>(
  request: Request,
  id: string,
  answer: Effect.Effect<Response, never, R>
): Effect.Effect<Response, never, R> =>
  Effect.useSpan(request.method, spanOf(request, id), (span) => {
    const elapsed = stopwatch()
    let route: string | null = null
    // The router publishes the path's template only as the attribute `http.route` of the span around it. This one also
    // keeps the spans and log lines of what a request starts out of the request's own.
    const routed = hiddenSpan("request", Option.none(), (key, value) => {
      if (key === "http.route" && typeof value === "string") route = value
    })
    return Effect.map(Effect.withParentSpan(answer, routed), (response) => {
      const { status } = response
      count(request.method, route, status, elapsed())
      span.attribute("http.response.status_code", status)
      if (route !== null) span.attribute("http.route", route)
      if (status >= 500) span.attribute("error.type", String(status))
      return response
    })
  })
