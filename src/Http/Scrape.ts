import { HttpServerResponse } from "@effect/platform"
import { ProblemError } from "@troupe/api/Problem"
import { metricsMediaType } from "@troupe/api/SystemApi"
import { Effect, Option, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { prometheusText } from "../Runtime/Prometheus.ts"
import type { Settings } from "../Runtime/Settings.ts"

const digest = (text: string) => createHash("sha256").update(text).digest()

const off = Effect.die(ProblemError.of("not-found", "There is nothing at this path."))

const refused = Effect.die(
  ProblemError.of("unauthenticated", "Send the metrics token: Authorization: Bearer <METRICS_TOKEN>.")
)

const text = Effect.map(prometheusText, (body) => HttpServerResponse.text(body, { contentType: metricsMediaType }))

/**
 * Answers `GET /metrics` to who sends METRICS_TOKEN in `authorization`; where none is set, to everyone, and in hosted
 * mode to nobody, as if it were not there (contract.md 2).
 */
export const makeScrape = ({ deploymentMode, metrics }: Pick<Settings["Type"], "deploymentMode" | "metrics">) => {
  if (Option.isNone(metrics.token)) return () => deploymentMode === "hosted" ? off : text
  // Digests are of one length, as comparing in constant time wants it.
  const wanted = digest(Redacted.value(metrics.token.value))
  return (authorization: string | undefined): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
    return token !== undefined && timingSafeEqual(digest(token), wanted) ? text : refused
  }
}
