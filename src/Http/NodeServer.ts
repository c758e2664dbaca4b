import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import { ProblemError, problemMediaType } from "@troupe/api/Problem"
import { plural } from "@troupe/domain/Text"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { ListenFailed } from "../Runtime/Process/ListenFailed.ts"
import { type HttpOptions, usualDrainTime } from "./HttpOptions.ts"
import { securityHeaders } from "./SecurityHeaders.ts"

/** When a shutdown begins, event streams end and the server accepts no more connections. It is announced before. */
export class Shutdown extends Context.Tag("troupe/Http/NodeServer/Shutdown")<Shutdown, {
  /** From here on `GET /health` is 503, so that a load balancer sends requests to other processes. */
  readonly announce: Effect.Effect<void>
  readonly isAnnounced: Effect.Effect<boolean>
  readonly begin: Effect.Effect<void>
  readonly begun: Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Shutdown> = Layer.effect(
    this,
    Effect.zipWith(Deferred.make<void>(), Deferred.make<void>(), (announced, begun) =>
      Shutdown.of({
        announce: Effect.asVoid(Deferred.succeed(announced, undefined)),
        isAnnounced: Deferred.isDone(announced),
        begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
        begun: Deferred.await(begun)
      }))
  )
}

/** Limits the server to `max` connections; further ones are closed, which is logged at most once a minute. */
const limitConnections = Effect.fnUntraced(function*(server: Server, max: number) {
  let refused = 0
  const dropped = yield* Effect.makeLatch()
  server.maxConnections = max
  server.on("drop", () => {
    refused += 1
    dropped.unsafeOpen()
  })
  const log = Effect.suspend(() => {
    const connections = plural(refused, "new connection")
    refused = 0
    dropped.unsafeClose()
    return Effect.logWarning(
      `Refused ${connections}: ${max} are open. Raise MAX_CONNECTIONS, or check which clients hold them.`
    )
  })
  yield* dropped.await.pipe(
    Effect.zipRight(log),
    Effect.zipRight(Effect.sleep("1 minute")),
    Effect.forever,
    Effect.forkScoped
  )
})

const answers: Record<string, ProblemError> = {
  HPE_HEADER_OVERFLOW: ProblemError.of("headers-too-large", "The request line and headers exceed 16 KiB."),
  ERR_HTTP_REQUEST_TIMEOUT: ProblemError.of("request-timeout", "The request arrived too slowly.")
}
const notComplete = "This is not a complete HTTP/1.1 request."
const malformed = ProblemError.of("invalid-request", notComplete, [{ path: "", message: notComplete }])

/** How long a refused sender may continue before its connection is closed. */
const lingerMillis = 2000

/** Answers what node's parser refuses with a problem, and reads on for a moment so that the sender gets the answer. */
const rejectMalformed = (
  error: Error & { readonly code?: string },
  socket: Duplex,
  headers: Readonly<Record<string, string>>
): void => {
  if (error.code === "ECONNRESET" || !socket.writable || socket.writableEnded) {
    if (error.code === "ECONNRESET") socket.destroy()
    return
  }
  const problem = answers[error.code ?? ""] ?? malformed
  const id = randomUUID()
  const body = JSON.stringify(problem.body(id))
  socket.end([
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
    "",
    body
  ].join("\r\n"))
  setTimeout(() => socket.destroy(), lingerMillis)
  socket.resume()
}

const grace = 4000

/** How long a connection without a request is then kept, since one may be on its way. */
const unusedMillis = 500

/** Bytes a second that the sender of a large file needs at least. */
const minUploadRate = 100_000

const requestTimeoutOf = (maxUploadBytes: number): number =>
  Math.max(300_000, Math.ceil(maxUploadBytes / minUploadRate) * 1_000)

const serverOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  // Longer than load balancers keep idle connections, so that they close first.
  keepAliveTimeout: 65_000,
  // Hardening refuses requests without it, so that they get a problem as others do.
  requireHostHeader: false
}

const makeServer = (
  shutdown: Shutdown["Type"],
  options: Pick<
    HttpOptions,
    "deploymentMode" | "drainTime" | "maxConnections" | "maxUploadBytes" | "publicUrl"
  >
) =>
  Effect.gen(function*() {
    const server = createServer(serverOptions)
    const security = securityHeaders(options)
    let stopping = false
    yield* limitConnections(server, options.maxConnections)
    server.on("clientError", (error, socket) => rejectMalformed(error, socket, security))
    // Browsers open spare connections, which node does not count as idle.
    const unused = new Set<Socket>()
    server.on("connection", (socket: Socket) => {
      // The largest upload may have been changed.
      server.requestTimeout = requestTimeoutOf(options.maxUploadBytes)
      unused.add(socket)
      socket.once("close", () => unused.delete(socket))
    })
    server.prependListener("request", ({ socket }, response) => {
      unused.delete(socket)
      if (stopping) response.setHeader("connection", "close")
    })
    // Requests are answered as before, but each connection ends with its answer.
    const drain = Effect.suspend(() => {
      stopping = true
      return server.listening
        ? Effect.zipRight(shutdown.announce, Effect.sleep(Option.getOrElse(options.drainTime, () => usualDrainTime)))
        : Effect.void
    })
    const stop = Effect.async<void>((resume) => {
      if (!server.listening) return resume(Effect.void)
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const spare = setTimeout(() => unused.forEach((socket) => socket.destroy()), unusedMillis)
      const ended = () => {
        clearInterval(idle)
        clearTimeout(spare)
        clearTimeout(deadline)
        resume(Effect.void)
      }
      const deadline = setTimeout(() => {
        server.closeAllConnections()
        ended()
      }, grace)
      server.close(ended)
    })
    return { server, stop: drain.pipe(Effect.zipRight(shutdown.begin), Effect.zipRight(stop)) }
  })

/** Keeps the requests that come before the endpoints are ready: node would never answer them. Returns what releases them. */
const holdEarlyRequests = (server: Server): Effect.Effect<void> => {
  const held: Array<readonly [request: IncomingMessage, response: ServerResponse]> = []
  const before = server.listenerCount("request")
  const hold = (...request: (typeof held)[number]) => {
    // The endpoints get it themselves once they listen, which may be a moment before the release.
    if (server.listenerCount("request") === before + 1) held.push(request)
  }
  server.on("request", hold)
  return Effect.sync(() => {
    server.off("request", hold)
    for (const request of held.splice(0)) if (!request[1].destroyed) server.emit("request", ...request)
  })
}

// Also serves the metrics of a worker.
const settings = {
  host: "HOST",
  port:
    "PORT (INGESTOR_PORT for the ingestor, CHAT_HANDLER_PORT for the chat handler, METRICS_PORT for a worker's metrics)"
}

/** node:http on HOST and PORT. A request before `serve` waits for it. It stops within 5 s after `drainTime`: refuses new requests, ends event streams, finishes the others. */
export const layer = (options: HttpOptions): Layer.Layer<HttpServer.HttpServer, ListenFailed, Shutdown> =>
  Layer.scoped(
    HttpServer.HttpServer,
    Effect.gen(function*() {
      const { host, port } = options
      const { server, stop } = yield* makeServer(yield* Shutdown, options)
      const releaseEarlyRequests = holdEarlyRequests(server)
      const made = yield* NodeHttpServer.make(() => server, { host, port }).pipe(
        Effect.mapError(({ cause }) => new ListenFailed({ host, port, cause, settings }))
      )
      // A start that fails ends without waiting for the requests that it holds.
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
      )
      // The scope of `serve` closes before this one, and a request between the two would have no handler. So the
      // server stops with the scope of `serve`.
      return HttpServer.make({
        address: made.address,
        serve: (app, middleware) =>
          Effect.zipRight(
            middleware === undefined ? made.serve(app) : made.serve(app, middleware),
            Effect.zipRight(
              // Without a listener, node answers an offer to upgrade as any request: HTTP/2 clients make one.
              Effect.sync(() => server.removeAllListeners("upgrade")),
              Effect.zipRight(Effect.addFinalizer(() => stop), releaseEarlyRequests)
            )
          )
      })
    })
  )
