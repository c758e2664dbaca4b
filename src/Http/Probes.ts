import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { ProblemError } from "@troupe/api/Problem"
import { ChatHandlerApi } from "@troupe/api/RoleApis"
import { type HealthCheck, type Healthy, metricsMediaType, type Unhealthy } from "@troupe/api/SystemApi"
import { version } from "@troupe/domain/Version"
import { Clock, Duration, Effect, Layer, Option, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { ListenFailed } from "../Runtime/Process/ListenFailed.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { prometheusText } from "../Runtime/Telemetry/Metrics.ts"
import { makeStreamLimit } from "./EventStreams.ts"
import { harden } from "./Hardening.ts"
import { databaseHealth } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import * as NodeServer from "./NodeServer.ts"
import { nothingHere } from "./ProblemResponse.ts"
import { routesOf } from "./Routes.ts"
import { sharedCheck } from "./SharedCheck.ts"

/** Answers `GET /health`: 503 while the database does not respond, and once the process is about to end. */
export const makeLiveness = (database: Effect.Effect<HealthCheck>) =>
  Effect.gen(function*() {
    const { isAnnounced } = yield* NodeServer.Shutdown
    const started = yield* Clock.currentTimeMillis
    // Probes have no rate limit, so they share an answer of the database.
    const shared = yield* sharedCheck(database, "1 second")
    return Effect.gen(function*() {
      const isEnding = yield* isAnnounced
      const { status } = yield* shared
      const facts = {
        version,
        uptime_seconds: Math.floor(((yield* Clock.currentTimeMillis) - started) / 1000)
      }
      return status === "ok" && !isEnding
        ? HttpServerResponse.unsafeJson({ status, ...facts } satisfies typeof Healthy.Encoded)
        : HttpServerResponse.unsafeJson({ status: "unavailable", ...facts } satisfies typeof Unhealthy.Encoded, {
          status: 503,
          headers: { "retry-after": "2" }
        })
    })
  })

const digest = (text: string) => createHash("sha256").update(text).digest()

const refused = ProblemError.of("unauthenticated", "Send the metrics token: Authorization: Bearer <METRICS_TOKEN>.")

/** Without METRICS_TOKEN everyone is answered; in hosted mode the path is then not found. */
export const forMetricsToken = (
  { deploymentMode, metricsToken }: Pick<HttpOptions, "deploymentMode" | "metricsToken">
) => {
  // Digests have the same length, which a comparison in constant time needs.
  const wanted = Option.map(metricsToken, (token) => digest(Redacted.value(token)))
  return <A, E, R>(authorization: string | undefined, answer: Effect.Effect<A, E, R>) => {
    if (Option.isNone(wanted)) return deploymentMode === "hosted" ? Effect.die(nothingHere) : answer
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
    return token !== undefined && timingSafeEqual(digest(token), wanted.value) ? answer : Effect.die(refused)
  }
}

/** Answers `GET /metrics` for an `Authorization` header. */
export const makeScrape = (options: HttpOptions) => {
  const ifAllowed = forMetricsToken(options)
  const text = Effect.map(prometheusText, (body) => HttpServerResponse.text(body, { contentType: metricsMediaType }))
  return (authorization: string | undefined) => ifAllowed(authorization, text)
}

/** `GET /health` and `GET /metrics` of the chat handler. */
export const ChatHandlerProbes = (options: HttpOptions) =>
  HttpApiBuilder.group(ChatHandlerApi, "probes", (handlers) =>
    Effect.gen(function*() {
      const liveness = yield* makeLiveness(yield* databaseHealth)
      const scrape = makeScrape(options)
      return handlers
        .handle("health", () => liveness)
        .handle("metrics", ({ request }) => scrape(request.headers["authorization"]))
    }))

const metricsOnly = (options: HttpOptions) =>
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
    return HttpServer.serve(
      yield* harden(app, {
        routes: routesOf(router, { authenticated: new Set(), uncounted: new Set(["GET /metrics"]) }),
        options,
        isDatabaseUnavailable: Effect.succeed(false),
        streamLimit: makeStreamLimit(options.maxEventStreamsPerCaller)
      })
    )
  }))

/** A server of `GET /metrics` alone, for workers. */
export const metricsServer = (options: HttpOptions): Layer.Layer<never, ListenFailed> =>
  metricsOnly(options).pipe(
    Layer.provide([
      NodeServer.layer({ ...options, drainTime: Option.some(Duration.zero) }),
      RateLimits.layerMemory({ perMinute: options.rateLimitPerMinute })
    ]),
    Layer.provide(NodeServer.Shutdown.layer)
  )
