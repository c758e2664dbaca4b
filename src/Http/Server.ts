import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { Effect, Fiber, Layer } from "effect"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { ListenFailed } from "../Runtime/ListenFailed.ts"
import { answerInvalid } from "./Answer.ts"
import { limitConnections } from "./Connections.ts"
import * as Docs from "./Docs.ts"
import { harden } from "./Hardening.ts"
import { HealthChecks } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { rejectMalformed } from "./Malformed.ts"
import type { RateLimits } from "./RateLimits.ts"
import { routesOf } from "./Routes.ts"
import { Shutdown } from "./Shutdown.ts"

/** How long running requests may take once the server stops. */
const grace = 4000

/** How long a connection without a request is then kept, since one may be on its way. */
const unusedMillis = 500

const options = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5000,
  // Longer than load balancers keep idle connections, so that they close first.
  keepAliveTimeout: 65_000
}

const makeServer = (shutdown: Shutdown["Type"], maxConnections: number) =>
  Effect.gen(function*() {
    const server = createServer(options)
    let stopping = false
    yield* limitConnections(server, maxConnections)
    server.on("clientError", rejectMalformed)
    // Browsers open spare connections, which node does not count as idle.
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
    return { server, stop: Effect.zipRight(shutdown.begin, stop) }
  })

// Also serves the metrics of a worker.
const settings = { host: "HOST", port: "PORT (METRICS_PORT for a worker's metrics)" }

/** node:http on HOST and PORT. It stops within 5 s: refuses new requests, ends event streams, finishes the others. */
export const layer = (
  { host, maxConnections, port }: HttpOptions
): Layer.Layer<HttpServer.HttpServer, ListenFailed, Shutdown> =>
  Layer.scoped(
    HttpServer.HttpServer,
    Effect.gen(function*() {
      const { server, stop } = yield* makeServer(yield* Shutdown, maxConnections)
      const made = yield* NodeHttpServer.make(() => server, { host, port }).pipe(
        Effect.mapError(({ cause }) => new ListenFailed({ host, port, cause, settings }))
      )
      // The scope of `serve` closes before this one, and a request between the two would have no handler. So the
      // server stops with the scope of `serve`.
      return HttpServer.make({
        address: made.address,
        serve: (app, middleware) =>
          Effect.zipRight(
            middleware === undefined ? made.serve(app) : made.serve(app, middleware),
            Effect.zipRight(
              // No other protocol is supported. Without a listener, node handles a request with an offer to upgrade
              // (HTTP/2 clients always make one) as a plain request.
              Effect.sync(() => server.removeAllListeners("upgrade")),
              Effect.addFinalizer(() => stop)
            )
          )
      })
    })
  )

/** Serves the API's router behind the hardening layer. */
export const serve = (options: HttpOptions): Layer.Layer<
  never,
  never,
  HealthChecks | RateLimits | HttpServer.HttpServer | HttpApi.Api | Shutdown | HttpRouter.HttpRouter.DefaultServices
> =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const router = yield* HttpApiBuilder.Router.router
    const middleware = yield* HttpApiBuilder.Middleware
    yield* middleware.add(answerInvalid)
    const app = yield* HttpRouter.withRouterConfig(HttpApiBuilder.httpApp, {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: 8192
    })
    const { database } = yield* HealthChecks
    // Many requests wait while the database is unavailable; one check is enough for all of them.
    const isAway = yield* Effect.cachedWithTTL(
      Effect.map(database, ({ status }) => status === "down").pipe(
        Effect.interruptible,
        Effect.forkDaemon,
        Effect.flatMap(Fiber.join)
      ),
      "1 second"
    )
    return HttpServer.serve(yield* harden(app, routesOf(router), options, Effect.uninterruptible(isAway)))
  })).pipe(
    // Before the router is read: routes that are added later would not be served.
    Layer.provide(options.deploymentMode === "hosted" ? Layer.empty : Docs.layer),
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    // Its spans cost more than the request and contain headers and addresses. Hardening makes ours.
    HttpMiddleware.withTracerDisabledWhen(() => true)
  )
