import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { AdminOnly, Authentication, Uncounted } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"
import { HistoryQuery, SettingsReport, StorageReport, TaskHistory } from "./SystemReports.ts"

const Version = Schema.String.annotations({ description: "Version of the service" })

export const Welcome = Schema.Struct({
  name: Schema.String.annotations({ description: "Name of the service" }),
  message: Schema.String.annotations({ description: "A greeting" }),
  version: Version,
  docs: Schema.NullOr(Schema.String).annotations({ description: "Path of the API explorer; null in hosted mode" }),
  console: Schema.NullOr(Schema.String).annotations({
    description: "Path of the web console; null while there is none"
  })
}).annotations({ identifier: "Welcome" })

const liveness = {
  version: Version,
  uptime_seconds: Schema.Int.annotations({ description: "Seconds since the start" })
}
export const Healthy = Schema.Struct({
  status: Schema.Literal("ok").annotations({ description: "The database answers" }),
  ...liveness
}).annotations({ identifier: "Healthy" })
/** The database did not answer within two seconds. */
export const Unhealthy = Schema.Struct({
  status: Schema.Literal("unavailable").annotations({ description: "The database did not answer within 2 s" }),
  ...liveness
}).annotations({
  identifier: "Unhealthy",
  ...HttpApiSchema.annotations({ status: 503 })
})

export const HealthCheck = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "down", "not_configured").annotations({ description: "State of the part" }),
  detail: Schema.String.annotations({ description: "What is in use, or what to set to fix it" }),
  latency_ms: Schema.Number.annotations({ description: "Duration of the check in milliseconds" })
}).annotations({ identifier: "HealthCheck", description: "The state of one part of the service" })
export type HealthCheck = typeof HealthCheck.Type

export const healthCheckNames = [
  "database",
  "workers",
  "model",
  "embeddings",
  "tool_servers",
  "chat",
  "mail",
  "storage"
] as const
export type HealthCheckName = (typeof healthCheckNames)[number]

export const HealthReport = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "down").annotations({ description: "The worst state of a required part" }),
  checks: Schema.Record({ key: Schema.Literal(...healthCheckNames), value: HealthCheck }).annotations({
    description: "One check for each part"
  })
}).annotations({ identifier: "HealthReport" })
export type HealthReport = typeof HealthReport.Type

export const VersionInfo = Schema.Struct({
  version: Version,
  api_version: Schema.String.annotations({ description: "Version of the HTTP interface" }),
  deployment_mode: Schema.Literal("self-hosted", "hosted").annotations({ description: "DEPLOYMENT_MODE" }),
  features: Schema.Record({ key: Schema.String, value: Schema.Boolean }).annotations({
    description: "Whether each feature is available"
  })
}).annotations({ identifier: "VersionInfo" })

export const ToolAvailability = Schema.Struct({
  available: Schema.Boolean.annotations({ description: "Whether it can be started" }),
  version: Schema.NullOr(Schema.String).annotations({ description: "Its version" }),
  path: Schema.NullOr(Schema.String).annotations({ description: "Where it was found" })
}).annotations({ identifier: "ToolAvailability", description: "Whether a program is installed" })
export type ToolAvailability = typeof ToolAvailability.Type

export const SystemInfo = Schema.Struct({
  platform: Schema.String.annotations({ description: "Operating system" }),
  arch: Schema.String.annotations({ description: "Processor architecture" }),
  tools: Schema.Struct({
    node: ToolAvailability,
    npm: ToolAvailability,
    npx: ToolAvailability,
    uvx: ToolAvailability
  }).annotations({ description: "Programs that tool servers are started with" })
}).annotations({ identifier: "SystemInfo" })
export type SystemInfo = typeof SystemInfo.Type

/** Prometheus' text format in the version that every scraper understands. */
export const metricsMediaType = "text/plain; version=0.0.4; charset=utf-8"

/** Information about the service, its health and its machine. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("welcome", "/")
      .addSuccess(Welcome)
      .annotateContext(
        described("Name and version; browsers are redirected to the console, or to the docs while there is none")
      )
  )
  .add(
    HttpApiEndpoint.get("liveness", "/health")
      .addSuccess(Healthy)
      .addSuccess(Unhealthy)
      .annotate(Uncounted, true)
      .annotateContext(described("Whether the service is available: 503 if the database does not respond within 2 s"))
  )
  .add(
    HttpApiEndpoint.get("health", "/api/health")
      .addSuccess(HealthReport)
      .middleware(Authentication)
      .annotateContext(described("Every part of the service, with what to set to fix it"))
  )
  .add(
    HttpApiEndpoint.get("version", "/api/version")
      .addSuccess(VersionInfo)
      .middleware(Authentication)
      .annotateContext(described("Version and features"))
  )
  .add(
    HttpApiEndpoint.get("info", "/system/info")
      .addSuccess(SystemInfo)
      .middleware(Authentication)
      .annotateContext(described("Whether the programs that tool servers need are installed"))
  )
  .add(
    HttpApiEndpoint.get("settings", "/system/settings")
      .addSuccess(SettingsReport)
      .middleware(AdminOnly)
      .middleware(Authentication)
      .annotateContext(
        described("The settings in effect of the process that answers; of a secret, only whether it is set")
      )
  )
  .add(
    HttpApiEndpoint.get("history", "/system/history")
      .setUrlParams(checkedWhole(HistoryQuery))
      .addSuccess(TaskHistory)
      .addError(Problems.searchUnfinished)
      .middleware(AdminOnly)
      .middleware(Authentication)
      .annotateContext(described("How many tasks ended, how long they took and what they used, over time"))
  )
  .add(
    HttpApiEndpoint.get("storage", "/system/storage")
      .addSuccess(StorageReport)
      .middleware(AdminOnly)
      .middleware(Authentication)
      .annotateContext(described("How much the database and the users' files take, and how long tasks are kept"))
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(HttpApiSchema.Text({ contentType: metricsMediaType }))
      .annotate(Uncounted, true)
      .annotateContext(
        described("The metrics of this process, as Prometheus text; requires METRICS_TOKEN if it is set")
      )
  )
  .annotateContext(titled("Health and system", "Information about the service, its health and its machine."))
{}
