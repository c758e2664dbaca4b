import ipaddr from "ipaddr.js"
import { lookup } from "node:dns"
import { isIP, type LookupFunction } from "node:net"

/** `192.0.2.1:443`, and an IPv6 address written out with a port behind it. */
const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}|(?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i

/**
 * The IP address that a proxy names, in the one spelling of it: without quotes, brackets, port and zone, and an IPv4 address
 * inside an IPv6 one as itself. Null for anything else, such as `unknown`.
 */
export const addressNamed = (text: string): string | null => {
  const plain = text.trim().replace(/^"(.*)"$/, "$1")
  const inBrackets = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(plain)?.[1]
  const address = inBrackets ?? withPort.exec(plain)?.[1] ?? plain
  const version = isIP(address)
  if (version === 0 || (inBrackets !== undefined && version === 4)) return null
  const [withoutZone = ""] = address.split("%", 1)
  return ipaddr.process(withoutZone).toString()
}

/** The path of a public address below which the service is, without the last slash; empty for a whole host. */
export const basePathOf = ({ pathname }: URL): string => pathname.replace(/(?<!\/)\/+$/, "")

/** What one sender has at least: an IPv4 address, or the first 64 bits of an IPv6 one, which has any number of the others. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const found = ipaddr.process(address)
  return found instanceof ipaddr.IPv6
    ? `${found.parts.slice(0, 4).map((part) => part.toString(16)).join(":")}::/64`
    : found.toString()
}

/** Whether the address is one by which a machine reaches itself. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback"

/** The host of a URL for what listens on this address of the machine. */
export const hostInUrl = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host

/** Whether what comes from the address can be trusted: not over plain HTTP, except from this machine. */
export const isSecureUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, protocol } = new URL(text)
  return protocol === "https:" || (protocol === "http:" && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname))
}

/** Why a member of a hosted service can't have it connect to a host. */
export const notPublic = "private, local and reserved addresses can't be used on a hosted instance"

/** Whether a host may be connected to on behalf of a member of a hosted service. A name is checked again by `publicLookup`. */
export const isPublicHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "").toLowerCase()
  if (ipaddr.isValid(host)) return isPublicAddress(host)
  return host.includes(".") && !/(^|\.)(localhost|local|internal|localdomain|home\.arpa|metadata\.goog)$/.test(host)
}

/** IPv4-compatible IPv6 addresses, which are deprecated: none is public. */
const ipv4Compatible = ipaddr.IPv6.parseCIDR("::/96")

/** Public addresses at which a cloud serves its own machines alone: Azure's, with credentials and extensions. */
const cloudServices: ReadonlySet<string> = new Set(["168.63.129.16"])

/** The last half of an address that a router of the network turns into the IPv4 address at its end. */
const isIsatap = ({ parts: [, , , , marked = 0, protocol] }: ipaddr.IPv6): boolean =>
  (marked & ~0x0200) === 0 && protocol === 0x5efe

/** False for private, loopback, link-local, reserved and multicast addresses, also where an IPv6 address contains an IPv4 one. */
const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const found = ipaddr.process(address)
  return found.range() === "unicast" && !cloudServices.has(found.toString())
    && !(found instanceof ipaddr.IPv6 && (found.match(ipv4Compatible) || isIsatap(found)))
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
