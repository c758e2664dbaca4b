import { defaulted, optional, secret } from "./Setting.ts"
import * as Kind from "./SettingKind.ts"

/** The settings of processes, of what they store, and of who may call them. */

export const core = {
  deploymentMode: defaulted(Kind.oneOf("self-hosted", "hosted"), {
    name: "DEPLOYMENT_MODE",
    default: "self-hosted",
    description: "self-hosted: one machine, no sign-in. hosted: a team behind an identity provider."
  }),
  host: defaulted(Kind.host, {
    name: "HOST",
    default: "127.0.0.1",
    description: "Address the HTTP server listens on. Nobody signs in to a self-hosted service: keep it on loopback."
  }),
  port: defaulted(Kind.listenPort, { name: "PORT", default: "8000", description: "Port the HTTP server listens on." }),
  publicUrl: optional(Kind.httpUrl, {
    name: "BACKEND_API_URL",
    description: "Public base address, used in links. Unset: http://{HOST}:{PORT}."
  }),
  corsOrigins: optional(Kind.listOf(Kind.origin), {
    name: "CORS_ORIGINS",
    description: "Origins whose pages may call the API. Unset: the service's own when self-hosted, none when hosted."
  }),
  allowedHosts: defaulted(Kind.listOf(Kind.hostHeader), {
    name: "ALLOWED_HOSTS",
    default: "",
    description: "Host names a self-hosted service answers to, besides loopback and the one of BACKEND_API_URL."
  }),
  trustedProxies: defaulted(Kind.listOf(Kind.network), {
    name: "TRUSTED_PROXIES",
    default: "",
    description: "Proxies whose X-Forwarded-For is believed."
  }),
  rateLimitPerMinute: defaulted(Kind.integerBetween(0, 1_000_000), {
    name: "RATE_LIMIT_PER_MINUTE",
    default: "0",
    description: "Requests a caller may make in a minute. 0: no limit."
  }),
  maxConnections: defaulted(Kind.integerBetween(1, 1_000_000), {
    name: "MAX_CONNECTIONS",
    default: "5000",
    description: "Maximum number of open HTTP connections; an event stream holds one. Further ones are refused."
  }),
  maxEventStreamsPerCaller: optional(Kind.integerBetween(1, 1_000_000), {
    name: "MAX_EVENT_STREAMS_PER_CALLER",
    description:
      "Event streams that one address may have open in a process; below MAX_CONNECTIONS. Unset: half of it self-hosted, 100 hosted."
  }),
  logLevel: defaulted(Kind.oneOf("debug", "info", "warning", "error"), {
    name: "LOG_LEVEL",
    default: "info",
    description: "The least severe level that is logged."
  }),
  logFormat: defaulted(Kind.oneOf("auto", "pretty", "json"), {
    name: "LOG_FORMAT",
    default: "auto",
    description: "auto: pretty on a terminal, else json, one line an entry."
  })
}

export const telemetry = {
  metricsToken: secret(Kind.bearerToken, {
    name: "METRICS_TOKEN",
    description: "Bearer token that GET /metrics asks for. Unset: open when self-hosted, off when hosted."
  }),
  metricsPort: optional(Kind.port, {
    name: "METRICS_PORT",
    description: "Port on HOST where a worker, which has no other HTTP, answers GET /metrics. Unset: nowhere."
  }),
  otlpEndpoint: optional(Kind.httpUrl, {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    description: "Base address of an OTLP collector; spans go to /v1/traces there, over HTTP. Unset: there are none."
  }),
  otlpHeaders: secret(Kind.headers, {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    description: "Headers for the collector, such as a key. Values are percent-encoded."
  }),
  serviceName: defaulted(Kind.text, {
    name: "OTEL_SERVICE_NAME",
    default: "troupe",
    description: "The name under which spans are shown."
  }),
  sampleRatio: defaulted(Kind.decimalBetween(0, 1), {
    name: "OTEL_TRACES_SAMPLER_ARG",
    default: "1",
    description: "Share of the traces that is kept. A request that comes with a trace of its caller goes by that."
  })
}

export const hosted = {
  issuer: optional(Kind.httpUrl, {
    name: "OIDC_ISSUER",
    description: "Hosted mode: the identity provider whose ID tokens are accepted."
  }),
  audience: optional(Kind.text, {
    name: "OIDC_AUDIENCE",
    description: "Hosted mode: the audience an ID token must be made for."
  }),
  ownerEmail: optional(Kind.emailAddress, {
    name: "TEAM_OWNER_EMAIL",
    description: "Hosted mode: the e-mail address of the team's owner."
  })
}

export const storage = {
  databaseUrl: secret(Kind.postgresUrl, {
    name: "DATABASE_URL",
    description: "PostgreSQL to use. Unset: an embedded one under DATA_DIR (single process only)."
  }),
  maxConnections: defaulted(Kind.integerBetween(2, 1000), {
    name: "DATABASE_MAX_CONNECTIONS",
    default: "10",
    description: "Most database connections one process opens."
  }),
  dataDir: defaulted(Kind.path, {
    name: "DATA_DIR",
    default: ".data",
    description: "Where the service keeps what is not in the database given by DATABASE_URL."
  }),
  path: optional(Kind.path, {
    name: "LOCAL_STORAGE_PATH",
    description: "Root of the users' sandboxes. Unset: {DATA_DIR}/files."
  }),
  projects: optional(Kind.path, {
    name: "PROJECTS_PATH",
    description:
      "Folder of the projects, each in a folder named by its id; .agent/SOUL.md in it is its persona. Unset: {DATA_DIR}/projects."
  }),
  quota: defaulted(Kind.gigabytes(1_000_000), {
    name: "STORAGE_QUOTA_GB",
    default: "5",
    description:
      "What one user may store, in GB of 2^30 bytes; fractions allowed. Files count in blocks of 4 KiB, at most 100,000 of them."
  }),
  maxUpload: defaulted(Kind.megabytes(100_000), {
    name: "MAX_UPLOAD_MB",
    default: "50",
    description: "Largest file that may be uploaded, in MB of 2^20 bytes."
  })
}

export const worker = {
  maxActiveTasks: defaulted(Kind.integerBetween(1, 100_000), {
    name: "MAX_ACTIVE_TASKS",
    default: "128",
    description: "Tasks one worker runs at the same time."
  }),
  maxCrashes: defaulted(Kind.integerBetween(0, 1000), {
    name: "TASK_MAX_CRASHES",
    default: "3",
    description: "Crashes at the same step after which a task is failed."
  }),
  suspectPause: defaulted(Kind.secondsBetween(0.01, 300), {
    name: "TASK_SUSPECT_PAUSE",
    default: "5",
    description: "Seconds until a task is tried again after its process has ended twice in a row during the same step; "
      + "three times as long after each further time, up to five minutes."
  }),
  pollInterval: defaulted(Kind.secondsBetween(0.05, 60), {
    name: "TASK_POLL_INTERVAL",
    default: "1",
    description: "Seconds between looks for due tasks that no notification told of."
  }),
  host: defaulted(Kind.host, {
    name: "RUNNER_HOST",
    default: "127.0.0.1",
    description: "Address under which the other workers reach this one."
  }),
  port: defaulted(Kind.port, {
    name: "RUNNER_PORT",
    default: "34431",
    description: "Port under which the other workers reach this one; each worker on a machine needs its own."
  }),
  shardLockExpiration: defaulted(Kind.secondsBetween(1, 3600), {
    name: "SHARD_LOCK_EXPIRATION",
    default: "7",
    description: "Seconds of silence after which a worker counts as dead and its tasks move."
  }),
  shardLockRefreshInterval: defaulted(Kind.secondsBetween(0.1, 3600), {
    name: "SHARD_LOCK_REFRESH_INTERVAL",
    default: "2",
    description: "Seconds between a worker's signs of life; at most half of SHARD_LOCK_EXPIRATION."
  }),
  assignmentInterval: defaulted(Kind.secondsBetween(0.1, 3600), {
    name: "SHARD_ASSIGNMENT_INTERVAL",
    default: "1",
    description: "Seconds between looks at who owns which shard."
  }),
  healthInterval: defaulted(Kind.secondsBetween(0.1, 3600), {
    name: "RUNNER_HEALTH_INTERVAL",
    default: "2",
    description: "Seconds between checks that the other workers are alive."
  }),
  terminationTimeout: defaulted(Kind.secondsBetween(0, 10), {
    name: "TERMINATION_TIMEOUT",
    default: "1",
    description: "Seconds a running actor is given to end when its worker stops or its shard moves."
  })
}
