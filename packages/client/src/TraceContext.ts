import * as HttpClient from "@effect/platform/HttpClient"
import { Context, DefaultServices, Effect, Tracer } from "effect"

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/**
 * Sends the caller's span as parent, unless its tracer is Effect's default one: that exports nothing, so the trace of the
 * service would lack its root.
 */
export const inCallersTrace = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transformResponse(client, (response) =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      tracer === defaultTracer
        ? Effect.locally(response, HttpClient.currentTracerPropagation, false)
        : response))
