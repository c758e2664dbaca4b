import { HttpRouter, HttpServer, HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import type { ListenFailed } from "../Runtime/ListenFailed.ts"
import { Settings } from "../Runtime/Settings.ts"
import { harden } from "./Hardening.ts"
import { routesOf } from "./Routes.ts"
import { makeScrape } from "./Scrape.ts"
import * as Server from "./Server.ts"
import { Shutdown } from "./Shutdown.ts"

const serve = Layer.unwrapScoped(Effect.gen(function*() {
  const scrape = makeScrape(yield* Settings)
  const router = HttpRouter.empty.pipe(
    HttpRouter.get(
      "/metrics",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => scrape(headers["authorization"]))
    )
  )
  // The hardening layer answers for a path that is not there, too.
  const app = Effect.orDie(yield* HttpRouter.toHttpApp(router))
  return HttpServer.serve(yield* harden(app, routesOf(router)))
}))

/** `GET /metrics` of a process that serves nothing else, on HOST and METRICS_PORT; nothing without that. */
export const layer: Layer.Layer<never, ListenFailed, Settings> = Layer.unwrapEffect(
  Effect.map(Settings, (settings) =>
    Option.match(settings.metrics.port, {
      onNone: () => Layer.empty,
      onSome: (port) =>
        serve.pipe(
          Layer.provide(Server.layer),
          Layer.provide([
            Shutdown.layer,
            Layer.succeed(Settings, { ...settings, http: { ...settings.http, port } })
          ])
        )
    }))
)
