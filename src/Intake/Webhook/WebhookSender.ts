import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import { Option } from "effect"
import { isLoopback } from "../../Runtime/NetworkAddress.ts"

/** Headers with which proxies and tunnels say that they forward a request, or for whom. */
const forwarding =
  /^(?:forwarded|via|cdn-loop|x-real-ip|x-(?:original-)?forwarded(?:-.+)?|(?:[a-z]+-)+(?:client|connecting)-ip)$/

/** Whether a process of this machine has sent the request, and not a proxy on this machine for somebody else. */
export const isLocal = (
  { headers, remoteAddress }: Pick<HttpServerRequest, "headers" | "remoteAddress">
): boolean => Option.exists(remoteAddress, isLoopback) && !Object.keys(headers).some((name) => forwarding.test(name))
