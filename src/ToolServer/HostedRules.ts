import ipaddr from "ipaddr.js"
import type { HttpTarget, StdioTarget } from "./ToolServer.ts"

export interface HostedRules {
  readonly isHosted: boolean
  readonly allowStdio: boolean
}

/** Why the target can't be used here, or null. Host names are checked again after they are resolved. */
export const refusalOf = (
  target: StdioTarget | HttpTarget,
  rules: HostedRules
): { readonly field: string; readonly reason: string } | null => {
  if (!rules.isHosted) return null
  if (target.transport === "stdio") {
    return rules.allowStdio ? null : {
      field: "command",
      reason: "programs can't be started on a hosted instance; the operator may set ALLOW_STDIO_TOOL_SERVERS=true"
    }
  }
  const { hostname } = new URL(target.url)
  return isPublicHost(hostname)
    ? null
    : { field: "url", reason: "private, local and reserved addresses can't be used on a hosted instance" }
}

export const isPublicHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "").toLowerCase()
  if (ipaddr.isValid(host)) return isPublicAddress(host)
  return host.includes(".") && !/(^|\.)(localhost|local|internal|localdomain|home\.arpa)$/.test(host)
}

/** IPv4-compatible IPv6 addresses, which are deprecated: none is public. */
const ipv4Compatible = ipaddr.IPv6.parseCIDR("::/96")

/** False for private, loopback, link-local, reserved and multicast addresses, also where an IPv6 address contains an IPv4 one. */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const found = ipaddr.process(address)
  return found.range() === "unicast" && !(found instanceof ipaddr.IPv6 && found.match(ipv4Compatible))
}
