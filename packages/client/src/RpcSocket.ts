import * as Socket from "@effect/platform/Socket"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Effect, Layer, Redacted } from "effect"
import { type BearerToken, readToken } from "./BearerToken.ts"

const protocolsOf = (token: BearerToken | undefined): Effect.Effect<Array<string>, Error> =>
  token === undefined
    ? Effect.succeed([])
    : Effect.map(readToken(token), (value) => ["troupe.rpc", `bearer.${Redacted.value(value)}`])

/** Only Node reports the status of a refused connection. */
const reasonOf = (cause: unknown): string => {
  const message: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "message") : undefined
  return typeof message === "string" && message !== "" ? ` (${message})` : ""
}

const notOpened = (url: URL, cause: unknown) =>
  new Socket.SocketGenericError({
    reason: "Open",
    cause: new Error(
      `${url.origin} did not open the WebSocket${reasonOf(cause)}. Check that the service runs, that the token is `
        + "valid, and that fewer connections are open than it allows.",
      { cause }
    )
  })

/** The WebSocket of the service's procedures. The token is read for each connection. */
export const layerSocket = (
  baseUrl: string | URL,
  token: BearerToken | undefined
): Layer.Layer<Socket.Socket, never, Socket.WebSocketConstructor> => {
  const url = new URL(rpcPath, baseUrl)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  const opened = Effect.gen(function*() {
    const construct = yield* Socket.WebSocketConstructor
    const protocols = yield* protocolsOf(token)
    return yield* Effect.acquireRelease(
      Effect.try(() => construct(url.href, protocols)),
      (socket) => Effect.sync(() => socket.close(1000))
    )
  }).pipe(Effect.mapError((cause) => notOpened(url, cause)))
  return Layer.effect(
    Socket.Socket,
    Effect.map(Socket.fromWebSocket(opened), (socket) =>
      Socket.Socket.of({
        ...socket,
        runRaw: (handler, options) =>
          Effect.mapError(socket.runRaw(handler, options), (error) =>
            Socket.isSocketError(error) && error.reason === "Open" && !(error.cause instanceof Error)
              ? notOpened(url, error.cause)
              : error)
      }))
  )
}
