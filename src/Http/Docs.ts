import { HttpApiBuilder, HttpApiScalar, HttpApiSwagger } from "@effect/platform"
import type { HttpApi } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Settings } from "../Runtime/Settings.ts"

const open: Layer.Layer<never, never, HttpApi.Api> = Layer.mergeAll(
  HttpApiSwagger.layer({ path: "/docs" }),
  // The viewer's own fonts would be fetched from its maker.
  HttpApiScalar.layer({ path: "/redoc", scalar: { withDefaultFonts: false } }),
  HttpApiBuilder.middlewareOpenApi({ path: "/openapi.json" })
)

/** The interactive explorer, the reference viewer and the machine-readable schema; none of them in hosted mode. */
export const layer: Layer.Layer<never, never, HttpApi.Api | Settings> = Layer.unwrapEffect(
  Effect.map(Settings, ({ deploymentMode }) => (deploymentMode === "hosted" ? Layer.empty : open))
)
