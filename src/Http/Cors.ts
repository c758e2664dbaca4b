import { HttpServerResponse } from "@effect/platform"

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
const exposed = "X-Request-Id, Location, Link, Retry-After"
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id"

/** What lets pages of `origin` read the answer. */
export const corsHeaders = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": exposed,
  vary: "Origin"
})

/** The answer to a preflight request of a page that may call. */
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
