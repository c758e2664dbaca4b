import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { IncomingMessage } from "node:http"
import type { HttpOptions } from "./HttpOptions.ts"

interface Incoming {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const parsed = (url: string): URL | null => URL.canParse(url) ? new URL(url) : null

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]"
  || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** Pages for people, to which every site may link, and the one to which authorization servers send browsers back. */
const linkable = /^\/(?:auth\/mcp\/callback|(?:docs|redoc)(?:\/[^/?]*)?|console(?:\/[\w-]+)*\/?|openapi\.json)?(?:\?|$)/

/** A link that was followed in a window of its own: the page with the link can't read the answer or frame it. */
const isFollowedLink = ({ headers, method, url }: Incoming) =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  && linkable.test(url)

/**
 * A self-hosted service has no sign-in, so it refuses pages of other origins, and other host names that resolve to this
 * address (DNS rebinding). Images have no `Origin`; browsers mark them by `Sec-Fetch-Site`.
 */
export const originPolicy = ({ allowedHosts, corsOrigins, deploymentMode, port, publicUrl }: HttpOptions) => {
  const selfHosted = deploymentMode === "self-hosted"
  const own = new Set(
    selfHosted
      ? [publicUrl.origin, ...["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}:${port}`)]
      : []
  )
  const shared = corsOrigins._tag === "Some" ? new Set(corsOrigins.value) : own
  /** Whether pages of this origin may read the answers (CORS). */
  const isShared = (origin: string): boolean => shared.has(origin)
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isOurs = ({ host, hostname }: URL) =>
    isLoopback(hostname) || hostname === publicUrl.hostname || hosts.has(hostname) || hosts.has(host)

  const refusal = (request: Incoming): string | null => {
    if (!selfHosted) return null
    const { host, origin, "sec-fetch-site": site } = request.headers
    // Browsers always send Host; old health probes may not.
    const target = host === undefined ? publicUrl : parsed(`http://${host}`)
    if (target === null || !isOurs(target)) {
      return `The host ${host} is not allowed; add it to ALLOWED_HOSTS if it is one of this service.`
    }
    const isForeignSite = site === "cross-site" || site === "same-site"
    if (origin === undefined) {
      return isForeignSite && !isFollowedLink(request)
        ? "Pages of other origins may not call this service; to allow them, add the origin to CORS_ORIGINS and use CORS."
        : null
    }
    if (isShared(origin) || own.has(origin)) return null
    const from = parsed(origin)
    return from !== null && isOurs(from) && !isForeignSite
      ? null
      : `Pages of ${origin} may not call this service; to allow them, add the origin to CORS_ORIGINS.`
  }
  return { refusal, isShared, isOurs }
}

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
const exposed =
  "X-Request-Id, Location, Link, Retry-After, RateLimit, RateLimit-Policy, ETag, Content-Range, Content-Disposition"
/** Also the headers with which Effect's HTTP client propagates a trace, and the headers of MCP. */
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

const countOfHosts = ({ rawHeaders }: IncomingMessage) =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === "host").length

/**
 * Why a request is refused that a proxy in front of this service could understand differently: it would check another
 * host or path than the one that is served. Null: there is one way to read it.
 */
export const requestLineFault = (
  request: IncomingMessage,
  isOurs: (target: URL) => boolean
): string | null => {
  const { httpVersion, url = "" } = request
  // The parser accepts a request line without a version, too.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "End the request line with HTTP/1.1 or HTTP/1.0."
  const hosts = countOfHosts(request)
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "Send exactly one Host header."
  if (!url.startsWith("/") && url !== "*" && !(URL.canParse(url) && isOurs(new URL(url)))) {
    return "The request line names another host than this service. Send the path alone."
  }
  // The router ends the path at either of them.
  return /^[^?]*[;#]/.test(url) ? "Write ; as %3B and # as %23 in the path." : null
}
