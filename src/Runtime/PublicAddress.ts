import ipaddr from "ipaddr.js"
import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"

/** Whether a host may be connected to on behalf of a member of a hosted service. A name is checked again by `publicLookup`. */
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

/** Resolves a name to public addresses only. The connection uses the addresses that were checked. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0)
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = allowed
    if (first === undefined) {
      return callback(new Error(`${hostname} has no address that may be connected to from here`), "", 0)
    }
    return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family)
  })
}
