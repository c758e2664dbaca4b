import ipaddr from "ipaddr.js"

/** What one sender has at least: an IPv4 address, or the first 64 bits of an IPv6 one, which has any number of the others. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const found = ipaddr.process(address)
  return found instanceof ipaddr.IPv6
    ? `${found.parts.slice(0, 4).map((part) => part.toString(16)).join(":")}::/64`
    : found.toString()
}
