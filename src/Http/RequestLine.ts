import type { IncomingMessage } from "node:http"

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
