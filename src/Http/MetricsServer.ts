import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Layer } from "effect"
import type { ListenFailed } from "../Runtime/ListenFailed.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { harden } from "./Hardening.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { routesOf } from "./Routes.ts"
import { makeScrape } from "./Scrape.ts"
import * as Server from "./Server.ts"
import { Shutdown } from "./Shutdown.ts"

const everyScrape = { authenticated: new Set<string>(), uncounted: new Set(["GET /metrics"]) }

const serve = (options: HttpOptions) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const scrape = makeScrape(options)
    const router = HttpRouter.empty.pipe(
      HttpRouter.get(
        "/metrics",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => scrape(headers["authorization"]))
      )
    )
    // The hardening layer answers for unknown paths.
    const app = Effect.orDie(yield* HttpRouter.toHttpApp(router))
    return HttpServer.serve(yield* harden(app, routesOf(router, everyScrape), options))
  }))

export const layer = (options: HttpOptions): Layer.Layer<never, ListenFailed> =>
  serve(options).pipe(
    Layer.provide([Server.layer(options), RateLimits.layerOwn(options.rateLimitPerMinute)]),
    Layer.provide(Shutdown.layer)
  )
