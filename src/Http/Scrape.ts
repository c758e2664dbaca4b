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

/** Without METRICS_TOKEN everyone is answered; in hosted mode the path is then not found. */
export const forMetricsToken = (
  { deploymentMode, metricsToken }: Pick<HttpOptions, "deploymentMode" | "metricsToken">
) => {
  if (Option.isNone(metricsToken)) {
    return <A, E, R>(_: string | undefined, answer: Effect.Effect<A, E, R>) =>
      deploymentMode === "hosted" ? off : answer
  }
  // Digests have the same length, which a comparison in constant time needs.
  const wanted = digest(Redacted.value(metricsToken.value))
  return <A, E, R>(authorization: string | undefined, answer: Effect.Effect<A, E, R>) => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
    return token !== undefined && timingSafeEqual(digest(token), wanted) ? answer : refused
  }
}

export const makeScrape = (options: HttpOptions) => {
  const ifAllowed = forMetricsToken(options)
  return (authorization: string | undefined) => ifAllowed(authorization, text)
}
