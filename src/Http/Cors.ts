import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
const exposed =
  "X-Request-Id, Location, Link, Retry-After, RateLimit, RateLimit-Policy, ETag, Content-Range, Content-Disposition"
/** With those that Effect's HTTP client adds to propagate a trace, and those of MCP. */
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, Range, If-Range, "
  + "If-None-Match, If-Modified-Since, traceparent, b3, Mcp-Protocol-Version, Mcp-Session-Id"

export const corsHeaders = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": exposed,
  vary: "Origin"
})

export const preflight = (origin: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...corsHeaders(origin),
      "access-control-allow-methods": methods,
      "access-control-allow-headers": requestHeaders,
      "access-control-max-age": "600"
    }
  })
