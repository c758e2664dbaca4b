import { HttpApiBuilder, HttpMiddleware, HttpRouter, HttpServer } from "@effect/platform"
import type { HttpApi } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Fiber, Layer } from "effect"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { ListenFailed } from "../Runtime/ListenFailed.ts"
import { Settings } from "../Runtime/Settings.ts"
import { answerInvalid } from "./Answer.ts"
import { limitConnections } from "./Connections.ts"
import * as Docs from "./Docs.ts"
import { harden } from "./Hardening.ts"
import { HealthChecks } from "./HealthChecks.ts"
import { rejectMalformed } from "./Malformed.ts"
import { routesOf } from "./Routes.ts"
import { Shutdown } from "./Shutdown.ts"

/** How long requests in flight may take to end once the server stops. */
const grace = 4000

/** How long a connection that never brought a request is then kept for one that is on its way. */
const patience = 500

const options = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5000,
  // Longer than what load balancers keep a connection for, so that they are the ones to close it.
  keepAliveTimeout: 65_000
}

const makeServer = (shutdown: Shutdown["Type"], maxConnections: number) =>
  Effect.gen(function*() {
    const server = createServer(options)
    let stopping = false
    yield* limitConnections(server, maxConnections)
    server.on("clientError", rejectMalformed)
    // Browsers open connections to spare, which node's own count of the idle ones leaves out.
    const unused = new Set<Socket>()
    server.on("connection", (socket: Socket) => {
      unused.add(socket)
      socket.once("close", () => unused.delete(socket))
    })
    server.prependListener("request", ({ socket }, response) => {
      unused.delete(socket)
      if (stopping) response.setHeader("connection", "close")
    })
    const stop = Effect.async<void>((resume) => {
      stopping = true
      if (!server.listening) return resume(Effect.void)
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const spare = setTimeout(() => unused.forEach((socket) => socket.destroy()), patience)
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
    return { server, stop: Effect.zipRight(shutdown.begin, stop) }
  })

// A worker's metrics are served by this, too.
const settings = { host: "HOST", port: "PORT (METRICS_PORT for a worker's metrics)" }

/** node:http, tuned, on HOST and PORT. It stops within 5 s: new requests are refused, live views end, others finish. */
export const layer: Layer.Layer<HttpServer.HttpServer, ListenFailed, Settings | Shutdown> = Layer.scoped(
  HttpServer.HttpServer,
  Effect.gen(function*() {
    const { http } = yield* Settings
    const { server, stop } = yield* makeServer(yield* Shutdown, http.maxConnections)
    const { host, port } = http
    const made = yield* NodeHttpServer.make(() => server, { host, port }).pipe(
      Effect.mapError(({ cause }) => new ListenFailed({ host, port, cause, settings }))
    )
    // Stop before the handlers leave: the scope of `serve` closes before this one, and a request between the two
    // would find nobody. So the server that is handed out stops with the first thing it serves.
    return HttpServer.make({
      address: made.address,
      serve: (app, middleware) =>
        Effect.zipRight(
          middleware === undefined ? made.serve(app) : made.serve(app, middleware),
          Effect.zipRight(
            // Nothing here speaks another protocol: without a listener, node takes an offer to upgrade (HTTP/2 clients
            // make one with every request) for the plain request that it also is.
            Effect.sync(() => server.removeAllListeners("upgrade")),
            Effect.addFinalizer(() => stop)
          )
        )
    })
  })
)

/** Everything that was added to the API's router, behind the hardening layer, on the server. */
export const serve: Layer.Layer<
  never,
  never,
  HealthChecks | HttpServer.HttpServer | HttpApi.Api | Settings | Shutdown | HttpRouter.HttpRouter.DefaultServices
> = Layer.unwrapScoped(Effect.gen(function*() {
  const router = yield* HttpApiBuilder.Router.router
  const middleware = yield* HttpApiBuilder.Middleware
  yield* middleware.add(answerInvalid)
  const app = yield* HttpRouter.withRouterConfig(HttpApiBuilder.httpApp, {
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    maxParamLength: 8192
  })
  const { database } = yield* HealthChecks
  // Many requests wait when it is away, and one look is enough for all of them.
  const isAway = yield* Effect.cachedWithTTL(
    Effect.map(database, ({ status }) => status === "down").pipe(
      Effect.interruptible,
      Effect.forkDaemon,
      Effect.flatMap(Fiber.join)
    ),
    "1 second"
  )
  return HttpServer.serve(yield* harden(app, routesOf(router), Effect.uninterruptible(isAway)))
})).pipe(
  // Before the router is read: what comes to it later would be served by nobody.
  Layer.provide(Docs.layer),
  Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
  // Its spans cost more than the request, sent or not, and tell headers and addresses. Ours are made by the hardening.
  HttpMiddleware.withTracerDisabledWhen(() => true)
)
