import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import type { HealthCheck } from "@troupe/api/SystemApi"
import type { TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Effect, Function, Layer } from "effect"
import type { Identity } from "../People/SignIn/Identity.ts"
import type { DatabaseProbe } from "../Runtime/Database/DatabaseProbe.ts"
import { requireCaller } from "../Runtime/Database/Isolation.ts"
import type { RateLimits } from "../Runtime/RateLimits.ts"
import { requestAddress } from "./Callers.ts"
import * as Console from "./Console.ts"
import * as Docs from "./Docs.ts"
import { makeStreamLimit, type StreamLimit } from "./EventStreams.ts"
import { harden } from "./Hardening.ts"
import { databaseHealth, HealthChecks } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import type { Shutdown } from "./NodeServer.ts"
import { respondToInvalid } from "./ProblemResponse.ts"
import { markedOf, routesOf } from "./Routes.ts"
import * as RpcGateLayer from "./RpcGateLayer.ts"
import * as RpcHttp from "./RpcHttp.ts"
import { sharedCheck } from "./SharedCheck.ts"

const hardened = (options: HttpOptions, isDatabaseUnavailable: Effect.Effect<boolean>, streamLimit: StreamLimit) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const router = yield* HttpApiBuilder.Router.router
    const middleware = yield* HttpApiBuilder.Middleware
    yield* middleware.add(respondToInvalid)
    const app = yield* HttpRouter.withRouterConfig(HttpApiBuilder.httpApp, {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: 8192
    })
    const routes = routesOf(router, markedOf(yield* HttpApi.Api))
    const served = yield* harden(app, { routes, options, isDatabaseUnavailable, streamLimit })
    // Around the answer too, whose body may be a stream with statements.
    return options.deploymentMode === "hosted" ? HttpServer.serve(served, requireCaller) : HttpServer.serve(served)
  }))

/** Remote procedures with the limits that the endpoints have. */
const procedures = (http: HttpOptions, isDatabaseUnavailable: Effect.Effect<boolean>, streams: StreamLimit) =>
  Layer.provide(
    RpcHttp.layer,
    RpcGateLayer.layer({ addressOf: requestAddress(http.trustedProxies), streams, isDatabaseUnavailable })
  )

/** Many requests wait while the database is unavailable; one check a second is enough for all of them. */
const makeIsUnavailable = (database: Effect.Effect<HealthCheck>) =>
  sharedCheck(Effect.map(database, ({ status }) => status === "down"), "1 second")

const assembled = <E, R>(served: Layer.Layer<never, E, R>) =>
  served.pipe(
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    // Its spans cost more than the request and contain headers and addresses. Hardening makes ours.
    HttpMiddleware.withTracerDisabledWhen(Function.constTrue)
  )

/** Serves the API's router, the remote procedures and the console behind the hardening layer. */
export const serve = (options: HttpOptions, consoleFolder: string | null): Layer.Layer<
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
  Layer.unwrapEffect(Effect.gen(function*() {
    const isUnavailable = yield* makeIsUnavailable((yield* HealthChecks).database)
    const streams = makeStreamLimit(options.maxEventStreamsPerCaller)
    return hardened(options, isUnavailable, streams).pipe(
      // Before the router is read: routes that are added later would not be served.
      Layer.provide([
        options.deploymentMode === "hosted" ? Layer.empty : Docs.layer(options.publicUrl),
        consoleFolder === null ? Layer.empty : Console.layer(consoleFolder),
        procedures(options, isUnavailable, streams)
      ])
    )
  })).pipe(assembled)

/** Serves an API of a few endpoints, without procedures and documentation, behind the same hardening layer. */
export const serveAlone = (options: HttpOptions): Layer.Layer<
  never,
  never,
  | HttpServer.HttpServer
  | HttpApi.Api
  | RateLimits
  | Shutdown
  | DatabaseProbe
  | HttpRouter.HttpRouter.DefaultServices
> =>
  Layer.unwrapEffect(Effect.map(
    Effect.flatMap(databaseHealth, makeIsUnavailable),
    (isUnavailable) => hardened(options, isUnavailable, makeStreamLimit(options.maxEventStreamsPerCaller))
  )).pipe(assembled)
