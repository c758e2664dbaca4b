import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Option } from "effect"
import { BlockList, isIP } from "node:net"

const family = (address: string) => isIP(address) === 6 ? "ipv6" : "ipv4"
const plain = (address: string) => address.startsWith("::ffff:") ? address.slice(7) : address

/** The address of the socket or, behind a trusted proxy, the one that the proxy reports. */
export const callerAddress = (trustedProxies: ReadonlyArray<string>) => {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [network = "", bits] = entry.split("/")
    if (isIP(network) === 0) continue
    if (bits === undefined) trusted.addAddress(network, family(network))
    else trusted.addSubnet(network, Number(bits), family(network))
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, family(address))
  return (socketAddress: string, forwardedFor: string | undefined): string => {
    let address = plain(socketAddress)
    if (forwardedFor === undefined || !isTrusted(address)) return address
    for (const hop of forwardedFor.split(",").map((part) => plain(part.trim())).toReversed()) {
      if (isIP(hop) === 0) return address
      address = hop
      if (!isTrusted(hop)) return address
    }
    return address
  }
}

export const requestCaller = (trustedProxies: ReadonlyArray<string>) => {
  const addressOf = callerAddress(trustedProxies)
  return ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
    addressOf(Option.getOrElse(remoteAddress, () => ""), headers["x-forwarded-for"])
}
