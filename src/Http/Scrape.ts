import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { ProblemError } from "@troupe/api/Problem"
import { metricsMediaType } from "@troupe/api/SystemApi"
import { Effect, Option, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { prometheusText } from "../Runtime/Prometheus.ts"
import type { HttpOptions } from "./HttpOptions.ts"

const digest = (text: string) => createHash("sha256").update(text).digest()

const off = Effect.die(ProblemError.of("not-found", "There is nothing at this path."))

const refused = Effect.die(
  ProblemError.of("unauthenticated", "Send the metrics token: Authorization: Bearer <METRICS_TOKEN>.")
)

const text = Effect.map(prometheusText, (body) => HttpServerResponse.text(body, { contentType: metricsMediaType }))

/**
 * Answers `GET /metrics` if `authorization` has METRICS_TOKEN. Without that setting, everyone is answered; in hosted
 * mode the path is then not found.
 */
export const makeScrape = ({ deploymentMode, metricsToken }: HttpOptions) => {
  if (Option.isNone(metricsToken)) return () => deploymentMode === "hosted" ? off : text
  // Digests have the same length, which a comparison in constant time needs.
  const wanted = digest(Redacted.value(metricsToken.value))
  return (authorization: string | undefined): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
    return token !== undefined && timingSafeEqual(digest(token), wanted) ? text : refused
  }
}
