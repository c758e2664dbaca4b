import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import { Effect, Layer } from "effect"

/** A page whose viewer (megabytes of text) is loaded at the first request. */
const page = (path: `/${string}`, viewer: Effect.Effect<Layer.Layer<never, never, HttpApi.Api>>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(HttpApi.Api, (api) =>
      router.get(
        path,
        Effect.flatMap(viewer, (layer) =>
          HttpApiBuilder.Router.router.pipe(
            Effect.provide(
              layer.pipe(Layer.provideMerge(HttpApiBuilder.Router.Live), Layer.provide(Layer.succeed(HttpApi.Api, api)))
            ),
            Effect.flatMap(HttpRouter.toHttpApp),
            Effect.flatten,
            Effect.orDie
          ))
      ))
  )

export const layer: Layer.Layer<never, never, HttpApi.Api> = Layer.mergeAll(
  page(
    "/docs",
    Effect.map(
      Effect.promise(() => import("@effect/platform/HttpApiSwagger")),
      (swagger) => swagger.layer({ path: "/docs" })
    )
  ),
  page(
    "/redoc",
    // The viewer would load its fonts from another server.
    Effect.map(
      Effect.promise(() => import("@effect/platform/HttpApiScalar")),
      (scalar) => scalar.layer({ path: "/redoc", scalar: { withDefaultFonts: false } })
    )
  ),
  HttpApiBuilder.middlewareOpenApi({ path: "/openapi.json" })
)
