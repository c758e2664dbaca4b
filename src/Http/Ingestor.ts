import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import type * as HttpServer from "@effect/platform/HttpServer"
import { IngestorApi } from "@troupe/api/RoleApis"
import { version } from "@troupe/domain/Version"
import { Effect, Layer } from "effect"
import { Webhooks } from "../Intake/Webhook/Webhooks.ts"
import type { DatabaseProbe } from "../Runtime/Database/DatabaseProbe.ts"
import type { RateLimits } from "../Runtime/RateLimits.ts"
import { databaseHealth } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import type { Shutdown } from "./NodeServer.ts"
import { forMetricsToken, makeLiveness, makeScrape } from "./Probes.ts"
import * as Server from "./Server.ts"

const info = { name: "Troupe webhook ingestor", version, webhooks: "/webhook/{webhook_type}" }

const endpoints = (options: HttpOptions) =>
  HttpApiBuilder.group(IngestorApi, "ingestor", (handlers) =>
    Effect.gen(function*() {
      const { receive, report } = yield* Webhooks
      const liveness = yield* makeLiveness(yield* databaseHealth)
      const ifAllowed = forMetricsToken(options)
      const scrape = makeScrape(options)
      return handlers
        .handle("info", () => Effect.succeed(info))
        .handle("health", () => liveness)
        .handle("stats", ({ request }) => ifAllowed(request.headers["authorization"], report))
        .handle("metrics", ({ request }) => scrape(request.headers["authorization"]))
        .handleRaw("receive", ({ path, request }) => receive(path.webhook_type, request))
    }))

/** Accepts webhooks; needs only the database. */
export const serve = (
  options: HttpOptions
): Layer.Layer<
  never,
  never,
  | HttpRouter.HttpRouter.DefaultServices
  | HttpServer.HttpServer
  | RateLimits
  | Shutdown
  | DatabaseProbe
  | Webhooks
> =>
  Server.serveAlone(options).pipe(
    Layer.provide(HttpApiBuilder.api(IngestorApi)),
    Layer.provide(endpoints(options))
  )
