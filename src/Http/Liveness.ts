import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { HealthCheck, Healthy, Unhealthy } from "@troupe/api/SystemApi"
import { Clock, Effect } from "effect"
import { serviceVersion } from "./Version.ts"

/** Answers `GET /health`: 503 while the database does not respond. */
export const makeLiveness = (database: Effect.Effect<HealthCheck>) =>
  // Probes have no rate limit, so they share an answer of the database.
  Effect.zipWith(Clock.currentTimeMillis, Effect.cachedWithTTL(database, "1 second"), (started, shared) =>
    Effect.gen(function*() {
      const { status } = yield* shared
      const facts = {
        version: serviceVersion,
        uptime_seconds: Math.floor(((yield* Clock.currentTimeMillis) - started) / 1000)
      }
      return status === "ok"
        ? HttpServerResponse.unsafeJson({ status, ...facts } satisfies typeof Healthy.Encoded)
        : HttpServerResponse.unsafeJson({ status: "unavailable", ...facts } satisfies typeof Unhealthy.Encoded, {
          status: 503,
          headers: { "retry-after": "2" }
        })
    }))
