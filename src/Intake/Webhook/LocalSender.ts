import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import { Option } from "effect"
import { isLoopback } from "../../Runtime/NetworkAddress.ts"

/** Words by which proxies and tunnels name what they forward, in headers of any prefix. */
const forwarding =
  /(?:^|-)(?:(?:im)?forward(?:ed|er|s)?|(?:ha)?prox(?:y|ied|yuser)|via|cdn|edge|(?:api)?gateway|(?:dev|local)?tunnel|nginx|s?lb|ssl|(?:url-)?scheme|end-https)(?:-|$)/

/** What ends the name of a header with the address of somebody else. */
const address = /(?:^|-)(?:(?:client|socket|remote|real|user)?ip|(?:remote|client)-?addr(?:ess)?)$/

/** With what a reverse proxy, a content delivery network or a tunnel begins the names of its headers, also after `x-`. */
const ofProxies = [
  "akamai",
  "amz-cf",
  "amzn",
  "appengine",
  "arr",
  "auth-request",
  "authentik",
  "azure",
  "cf",
  "cloud-trace",
  "cloudfront",
  "envoy",
  "fastly",
  "fly",
  "incap",
  "kong",
  "nf",
  "ngrok",
  "original",
  "pomerium",
  "railway",
  "remote-user",
  "render",
  "request-start",
  "rewrite",
  "served-by",
  "sucuri",
  "surrogate",
  "tailscale",
  "traefik",
  "varnish",
  "vercel"
].flatMap((name) => [`${name}-`, `x-${name}-`])

const isForwarding = (name: string): boolean => marksForwarded(name.replaceAll("_", "-"))

const marksForwarded = (name: string): boolean =>
  forwarding.test(name) || address.test(name) || /^x-(?:http-)?host(?:-|$)/.test(name)
  || ofProxies.some((prefix) => `${name}-`.startsWith(prefix))

/** Whether a process of this machine has sent the request, and not a proxy or tunnel on this machine for somebody else. */
export const isLocal = (
  { headers, remoteAddress }: Pick<HttpServerRequest, "headers" | "remoteAddress">
): boolean => Option.exists(remoteAddress, isLoopback) && !Object.keys(headers).some(isForwarding)
