import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import type { HealthCheck } from "@troupe/api/SystemApi"
import type { TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Effect, Fiber, Layer } from "effect"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import type { Identity } from "../People/Identity.ts"
import { requireCaller } from "../Runtime/Isolation.ts"
import { ListenFailed } from "../Runtime/ListenFailed.ts"
import type { RateLimits } from "../Runtime/RateLimits.ts"
import { requestCaller } from "./CallerAddress.ts"
import { limitConnections } from "./ConnectionLimit.ts"
import * as Docs from "./Docs.ts"
import { harden } from "./Hardening.ts"
import { HealthChecks } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { rejectMalformed } from "./MalformedRequests.ts"
import { answerInvalid } from "./ProblemResponse.ts"
import { markedOf, routesOf } from "./Routes.ts"
import { makeRpcCalls } from "./RpcCalls.ts"
import * as RpcGateLayer from "./RpcGateLayer.ts"
import * as RpcHttp from "./RpcHttp.ts"
import { Shutdown } from "./Shutdown.ts"
import { makeStreamLimit, type StreamLimit } from "./StreamLimit.ts"
import { takeUpgrades } from "./Upgrades.ts"

const grace = 4000

/** How long a connection without a request is then kept, since one may be on its way. */
const unusedMillis = 500

/** Bytes a second that the sender of a large file needs at least. */
const minUploadRate = 100_000

const optionsOf = (maxUploadBytes: number) => ({
  maxHeaderSize: 16 * 1024,
  headersTimeout: 20_000,
  requestTimeout: Math.max(300_000, Math.ceil(maxUploadBytes / minUploadRate) * 1_000),
  connectionsCheckingInterval: 5000,
  // Longer than load balancers keep idle connections, so that they close first.
  keepAliveTimeout: 65_000
})

const makeServer = (
  shutdown: Shutdown["Type"],
  { maxConnections, maxUploadBytes }: Pick<HttpOptions, "maxConnections" | "maxUploadBytes">
) =>
  Effect.gen(function*() {
    const server = createServer(optionsOf(maxUploadBytes))
    let stopping = false
    yield* limitConnections(server, maxConnections)
    server.on("clientError", rejectMalformed)
    // Browsers open spare connections, which node does not count as idle.
    const unused = new Set<Socket>()
    const known = new WeakSet<Socket>()
    server.on("connection", (socket: Socket) => {
      // A connection starts again after a declined upgrade.
      if (known.has(socket)) return
      known.add(socket)
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
const settings = {
  host: "HOST",
  port:
    "PORT (INGESTOR_PORT for the ingestor, CHAT_HANDLER_PORT for the chat handler, METRICS_PORT for a worker's metrics)"
}

/** node:http on HOST and PORT. It stops within 5 s: refuses new requests, ends event streams, finishes the others. */
export const layer = (
  { host, maxConnections, maxUploadBytes, port }: HttpOptions
): Layer.Layer<HttpServer.HttpServer, ListenFailed, Shutdown> =>
  Layer.scoped(
    HttpServer.HttpServer,
    Effect.gen(function*() {
      const { server, stop } = yield* makeServer(yield* Shutdown, { maxConnections, maxUploadBytes })
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
              // The platform's listener has no limit for the messages of WebSockets.
              Effect.sync(() => takeUpgrades(server.removeAllListeners("upgrade"))),
              Effect.addFinalizer(() => stop)
            )
          )
      })
    })
  )

/** Many requests wait while the database is unavailable; one check a second is enough for all of them. */
const databaseUnavailable = (database: Effect.Effect<HealthCheck>) =>
  Effect.map(
    Effect.cachedWithTTL(
      Effect.map(database, ({ status }) => status === "down").pipe(
        Effect.interruptible,
        Effect.forkDaemon,
        Effect.flatMap(Fiber.join)
      ),
      "1 second"
    ),
    Effect.uninterruptible
  )

const hardened = (options: HttpOptions, isUnavailable: Effect.Effect<boolean>, streams: StreamLimit) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const router = yield* HttpApiBuilder.Router.router
    const middleware = yield* HttpApiBuilder.Middleware
    yield* middleware.add(answerInvalid)
    const app = yield* HttpRouter.withRouterConfig(HttpApiBuilder.httpApp, {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: 8192
    })
    const routes = routesOf(router, markedOf(yield* HttpApi.Api))
    const served = yield* harden(app, routes, options, isUnavailable, streams)
    // Around the answer too, whose body may be a stream with statements.
    return options.deploymentMode === "hosted" ? HttpServer.serve(served, requireCaller) : HttpServer.serve(served)
  }))

/** Remote procedures with the limits that the endpoints have. */
const procedures = (http: HttpOptions, isDatabaseUnavailable: Effect.Effect<boolean>, streams: StreamLimit) => {
  const calls = makeRpcCalls()
  const callerOf = requestCaller(http.trustedProxies)
  return RpcHttp.layer({ http, calls, callerOf }).pipe(
    Layer.provide(RpcGateLayer.layer({ http, calls, callerOf, streams, isDatabaseUnavailable }))
  )
}

/** Serves the API's router and the remote procedures behind the hardening layer. */
export const serve = (options: HttpOptions): Layer.Layer<
  never,
  never,
  | HealthChecks
  | HttpServer.HttpServer
  | HttpApi.Api
  | Identity
  | RateLimits
  | Rpc.ToHandler<RpcGroup.Rpcs<typeof TroupeRpcs>>
  | Shutdown
  | HttpRouter.HttpRouter.DefaultServices
> =>
  Layer.unwrapEffect(
    Effect.map(Effect.flatMap(HealthChecks, ({ database }) => databaseUnavailable(database)), (isUnavailable) => {
      const streams = makeStreamLimit(options.maxEventStreamsPerCaller)
      return hardened(options, isUnavailable, streams).pipe(
        // Before the router is read: routes that are added later would not be served.
        Layer.provide([
          options.deploymentMode === "hosted" ? Layer.empty : Docs.layer,
          procedures(options, isUnavailable, streams)
        ])
      )
    })
  ).pipe(
    assembled
  )

/** Serves an API of a few endpoints, without procedures and documentation, behind the same hardening layer. */
export const serveAlone = (options: HttpOptions, database: Effect.Effect<HealthCheck>): Layer.Layer<
  never,
  never,
  HttpServer.HttpServer | HttpApi.Api | RateLimits | Shutdown | HttpRouter.HttpRouter.DefaultServices
> =>
  Layer.unwrapEffect(Effect.map(
    databaseUnavailable(database),
    (isUnavailable) => hardened(options, isUnavailable, makeStreamLimit(options.maxEventStreamsPerCaller))
  )).pipe(assembled)

const assembled = <E, R>(served: Layer.Layer<never, E, R>) =>
  served.pipe(
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    // Its spans cost more than the request and contain headers and addresses. Hardening makes ours.
    HttpMiddleware.withTracerDisabledWhen(() => true)
  )
