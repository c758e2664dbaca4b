import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"

const offers = new WeakSet<IncomingMessage>()

/** A connection may make an offer with each request. */
const handled = new WeakSet<Duplex>()

/** Whether the client waits for the handshake of a WebSocket: the socket belongs to this request alone. */
export const offersWebSocket = (request: IncomingMessage): boolean => offers.has(request)

const notRepeated = new Set(["connection", "upgrade", "http2-settings"])

const headOf = ({ httpVersion, method, rawHeaders, url }: IncomingMessage): string => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ""
    if (!notRepeated.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1] ?? ""}`)
  }
  return `${lines.join("\r\n")}\r\n\r\n`
}

/**
 * Handles a WebSocket upgrade as a request, so that it is checked and routed. Other upgrades are declined by answering
 * the request: HTTP/2 clients always offer one. Node reads no body after an offer, so the connection starts again
 * without it.
 */
export const takeUpgrades = (server: Server): void => {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!handled.has(socket)) socket.on("error", () => socket.destroy())
    handled.add(socket)
    if (head.length > 0) socket.unshift(head)
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket"
    if (!isWebSocket || !(socket instanceof Socket)) {
      socket.unshift(Buffer.from(headOf(request), "latin1"))
      server.emit("connection", socket)
      return
    }
    offers.add(request)
    request.push(null)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once("finish", () => socket.destroySoon())
    server.emit("request", request, response)
  })
}
