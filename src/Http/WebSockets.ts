import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Socket from "@effect/platform/Socket"
import { ProblemError } from "@troupe/api/Problem"
import { Context, Effect, type Scope } from "effect"
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws"
import { offersWebSocket } from "./NodeServer.ts"

/** A peer that exceeds a limit, or does not respond to a ping within the interval, is disconnected. */
export class WebSocketLimits extends Context.Reference<WebSocketLimits>()("troupe/Http/WebSockets/WebSocketLimits", {
  defaultValue: () => ({ messageBytes: 1024 * 1024, unsentMessages: 64, unsentBytes: 16_000_000, idleMillis: 30_000 })
}) {}

const refusal = (request: HttpServerRequest.HttpServerRequest): string | null => {
  const { headers } = request
  if (!offersWebSocket(NodeHttpServerRequest.toIncomingMessage(request))) {
    return "A GET of this path opens a WebSocket (RFC 6455); send POST with JSON lines otherwise."
  }
  if (headers["sec-websocket-version"] !== "13") return "sec-websocket-version: only version 13 is supported."
  return /^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "")
    ? null
    : "sec-websocket-key: 16 bytes in base64 are required."
}

const closeIfSilent = (webSocket: WebSocket, idleMillis: number) => {
  let isAlive = true
  const markAlive = () => {
    isAlive = true
  }
  const timer = setInterval(() => {
    if (!isAlive) return webSocket.terminate()
    isAlive = false
    webSocket.ping()
  }, idleMillis)
  webSocket.on("pong", markAlive).on("message", markAlive).once("close", () => clearInterval(timer))
}

const handshake = (
  server: WebSocketServer,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<WebSocket, ProblemError, Scope.Scope> => {
  const reason = refusal(request)
  if (reason !== null) return Effect.fail(ProblemError.of("invalid-request", reason))
  return Effect.acquireRelease(
    Effect.async<WebSocket>((resume) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request)
      // Whatever is answered after the handshake has no socket to go to.
      NodeHttpServerRequest.toServerResponse(request).detachSocket(source.socket)
      server.handleUpgrade(source, source.socket, Buffer.alloc(0), (webSocket) => resume(Effect.succeed(webSocket)))
    }),
    (webSocket) => Effect.sync(() => webSocket.close())
  )
}

/** Accepts WebSockets on requests that the router has matched; the first subprotocol that the client names is chosen. */
export const makeWebSockets = Effect.map(
  WebSocketLimits,
  ({ idleMillis, messageBytes, unsentBytes, unsentMessages }) => {
    const server = new WebSocketServer({ noServer: true, maxPayload: messageBytes, perMessageDeflate: false })
    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function*() {
        const webSocket = yield* handshake(server, request)
        // A message over the limit is an error, and ends the connection with 1009.
        webSocket.on("error", () => {})
        closeIfSilent(webSocket, idleMillis)
        const stream = createWebSocketStream(webSocket, { readableObjectMode: true, decodeStrings: false })
        stream.on("error", () => {})
        const raw = yield* NodeSocket.fromDuplex(Effect.succeed(stream))
        let unsent = 0
        let waitingBytes = 0
        const socket = Socket.Socket.of({
          ...raw,
          writer: Effect.map(raw.writer, (write) => (chunk) =>
            Effect.suspend(() => {
              // One answer may be larger than the limit of bytes.
              if (unsent >= unsentMessages || waitingBytes >= unsentBytes) {
                webSocket.terminate()
                return Effect.void
              }
              const bytes = chunk instanceof Socket.CloseEvent ? 0 : Buffer.byteLength(chunk)
              unsent += 1
              waitingBytes += bytes
              return Effect.ensuring(
                write(chunk),
                Effect.sync(() => {
                  unsent -= 1
                  waitingBytes -= bytes
                })
              )
            }))
        })
        return {
          socket,
          /** Ends it with a close frame: 1012 says that the service restarts. */
          close: (code: number, reason: string) => webSocket.close(code, reason)
        }
      })
  }
)
