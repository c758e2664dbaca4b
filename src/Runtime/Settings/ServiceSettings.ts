import { optional, secret, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const core = {
  deploymentMode: setting("DEPLOYMENT_MODE", Format.oneOf("self-hosted", "hosted"), "self-hosted")
    .describe("self-hosted: one machine, no sign-in. hosted: a team behind an identity provider."),
  http: {
    host: setting("HOST", Format.host, "127.0.0.1")
      .describe("Address the HTTP server listens on. A self-hosted service has no sign-in: keep it on loopback."),
    port: setting("PORT", Format.listenPort, "8000")
      .describe("Port the HTTP server listens on."),
    publicUrl: optional("BACKEND_API_URL", Format.httpUrl)
      .describe(
        "Public base address, used in links. Its path is where a proxy serves this, whether or not it removes the path. "
          + "Unset: http://{HOST}:{PORT}."
      ),
    corsOrigins: optional("CORS_ORIGINS", Format.origins)
      .describe("Origins whose pages may call the API. Unset: the service's own when self-hosted, none when hosted."),
    allowedHosts: setting("ALLOWED_HOSTS", Format.hostHeaders, "")
      .describe("Host names a self-hosted service answers to, besides loopback and the one of BACKEND_API_URL."),
    trustedProxies: setting("TRUSTED_PROXIES", Format.networks, "")
      .describe("Proxies whose X-Forwarded-For is trusted; it may have ports and brackets."),
    rateLimitPerMinute: setting("RATE_LIMIT_PER_MINUTE", Format.integerBetween(0, 1_000_000), "0")
      .describe("Requests that a user, or an address without a token, may make in a minute. 0: no limit.", "nothing"),
    maxConnections: setting("MAX_CONNECTIONS", Format.integerBetween(1, 1_000_000), "5000")
      .describe("Maximum number of open HTTP connections; an event stream holds one. Further ones are refused."),
    drainTime: optional("DRAIN_SECONDS", Format.secondsBetween(0, 600))
      .describe(
        "Seconds for which a process that ends still answers, with GET /health failing and each connection closing, so that load balancers notice. Unset: 5, and 0 with everything in one process."
      ),
    maxEventStreamsPerCaller: optional("MAX_EVENT_STREAMS_PER_CALLER", Format.integerBetween(1, 1_000_000))
      .describe(
        "Maximum number of open event streams of one caller: a signed-in user, else an address. Unset: half of MAX_CONNECTIONS; 100 if hosted."
      )
  },
  log: {
    level: setting("LOG_LEVEL", Format.oneOf("debug", "info", "warning", "error"), "info")
      .describe("The least severe level that is logged."),
    format: setting("LOG_FORMAT", Format.oneOf("auto", "pretty", "json"), "auto")
      .describe("auto: pretty on a terminal, otherwise json, one line an entry.")
  }
}

export const storage = {
  database: {
    url: secret("DATABASE_URL", Format.postgresUrl)
      .describe("PostgreSQL to use. Unset: an embedded one under DATA_DIR (single process only)."),
    directUrl: secret("DATABASE_DIRECT_URL", Format.postgresUrl)
      .describe(
        "Address of the server itself where DATABASE_URL is one of a connection pooler such as PgBouncer: for notifications, locks and migrations. Unset: DATABASE_URL."
      ),
    maxConnections: optional("DATABASE_MAX_CONNECTIONS", Format.integerBetween(5, 1000))
      .describe(
        "Maximum number of database connections of one process, all included. Unset: 6; 10 with everything in one process."
      ),
    dataDir: setting("DATA_DIR", Format.path, ".data")
      .describe(
        "Folder of the embedded database and of files, projects, agents and skills, unless they have their own."
      )
  },
  storage: {
    path: optional("LOCAL_STORAGE_PATH", Format.path)
      .describe("Root of the users' sandboxes. Unset: {DATA_DIR}/files."),
    quotaBytes: setting("STORAGE_QUOTA_GB", Format.gigabytes(1_000_000), "5")
      .describe(
        "Storage quota of a user in GB (2^30 bytes). Files count in blocks of 4 KiB, at most 100,000 of them.",
        "nothing"
      ),
    maxUploadBytes: setting("MAX_UPLOAD_MB", Format.megabytes(100_000), "50")
      .describe("Maximum size of an uploaded file, in MB of 2^20 bytes.", "nothing")
  },
  retention: {
    taskDays: setting("TASK_RETENTION_DAYS", Format.decimalBetween(0, 36_500), "0")
      .describe(
        "Days after which a finished task is deleted, with its subtasks, log, conversation and notifications; files stay. 0: kept.",
        "nothing"
      ),
    notificationDays: setting("NOTIFICATION_RETENTION_DAYS", Format.decimalBetween(0, 36_500), "0")
      .describe("Days after which a notification that was read is deleted. 0: kept.", "nothing")
  },
  projects: {
    path: optional("PROJECTS_PATH", Format.path)
      .describe(
        "Folder with a folder for each project id; .agent/SOUL.md there is its persona. Unset: {DATA_DIR}/projects."
      )
  }
}

export const workers = {
  worker: {
    maxActiveTasks: setting("MAX_ACTIVE_TASKS", Format.integerBetween(1, 100_000), "128")
      .describe("Maximum number of tasks that one worker runs at the same time."),
    maxCrashes: setting("TASK_MAX_CRASHES", Format.integerBetween(0, 1000), "3")
      .describe("Crashes at the same step after which a task is retried; with the next one it fails."),
    suspectPause: setting("TASK_SUSPECT_PAUSE", Format.secondsBetween(0.01, 300), "5")
      .describe(
        "Seconds before a retry after a step twice ended its process; tripled each further time, up to 300."
      ),
    stepHandover: setting("STEP_HANDOVER_SECONDS", Format.secondsBetween(1, 3600), "300")
      .describe(
        "Seconds for which a worker ends the running steps of tasks that move to another worker. Longer ones are interrupted."
      ),
    shutdownGrace: setting("SHUTDOWN_GRACE_SECONDS", Format.secondsBetween(10, 600), "10")
      .describe(
        "Seconds that a worker which is stopped has for the running steps of its tasks. The process ends at most 5 s later, and DRAIN_SECONDS if it serves HTTP."
      )
  },
  cluster: {
    host: setting("RUNNER_HOST", Format.host, "127.0.0.1")
      .describe("Address at which the other workers reach this one."),
    port: setting("RUNNER_PORT", Format.port, "34431")
      .describe(
        "Port at which the other processes reach this worker; each worker on a machine needs its own. Keep it private."
      ),
    shardLockExpiration: setting("SHARD_LOCK_EXPIRATION", Format.secondsBetween(1, 3600), "7")
      .describe("Seconds without a heartbeat after which the other workers take over a worker's tasks.")
  }
}

export const telemetry = {
  metrics: {
    token: secret("METRICS_TOKEN", Format.bearerToken)
      .describe("Bearer token that GET /metrics requires. Unset: open when self-hosted, off when hosted."),
    port: optional("METRICS_PORT", Format.port)
      .describe("Port on HOST where a worker, which has no other HTTP, serves GET /metrics. Unset: not served.")
  },
  watchdog: {
    url: secret("WATCHDOG_URL", Format.httpUrl)
      .describe(
        "Address that is requested each minute while the workers and the database are healthy, so that an outside monitor notices silence. "
          + "Any address is allowed."
      )
  },
  tracing: {
    endpoint: optional("OTEL_EXPORTER_OTLP_ENDPOINT", Format.httpUrl)
      .describe("Base address of an OTLP collector; spans are sent to /v1/traces there, over HTTP. Unset: no spans."),
    headers: secret("OTEL_EXPORTER_OTLP_HEADERS", Format.headers)
      .describe("Headers for the collector, such as a key. Values are percent-encoded."),
    serviceName: setting("OTEL_SERVICE_NAME", Format.text, "troupe")
      .describe("Service name in the spans."),
    sampleRatio: setting("OTEL_TRACES_SAMPLER_ARG", Format.decimalBetween(0, 1), "1")
      .describe("Share of the traces that is kept. A request within a trace of its caller follows that trace."),
    recordsContent: setting("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", Format.flag, "false")
      .describe(
        "Whether spans contain the messages to and from the model, and the arguments and results of tool calls: texts of users, also personal ones."
      )
  }
}

export const hosted = {
  team: {
    issuer: optional("OIDC_ISSUER", Format.issuer)
      .describe("Hosted mode: the issuer whose ID tokens are accepted, exactly as in their claim iss."),
    audience: optional("OIDC_AUDIENCE", Format.text)
      .describe("Hosted mode: the audience that an ID token must have."),
    ownerEmail: optional("TEAM_OWNER_EMAIL", Format.emailAddress)
      .describe("Hosted mode: the e-mail address of the team's owner.")
  },
  signIn: {
    clientId: optional("OIDC_CLIENT_ID", Format.text)
      .describe(
        "Hosted mode: id of this service at the identity provider, for the sign-in of browsers. Its callback address is {BACKEND_API_URL}/auth/callback. Unset: only ID tokens."
      ),
    clientSecret: secret("OIDC_CLIENT_SECRET", Format.text)
      .describe("Hosted mode: the secret that belongs to OIDC_CLIENT_ID. Unset: a public client."),
    idleTime: setting("SESSION_IDLE_HOURS", Format.hoursBetween(0.1, 720), "8")
      .describe("Hosted mode: hours without a request or an open event stream after which a browser is signed out."),
    maxTime: setting("SESSION_MAX_HOURS", Format.hoursBetween(0.1, 720), "24")
      .describe("Hosted mode: hours after the sign-in after which a browser is signed out in any case.")
  },
  seats: {
    tier: setting("TIER", Format.oneOf("free", "team", "enterprise"), "free")
      .describe(
        "Hosted mode: seats of the team; an open invitation uses one. free: 3, team: 25, enterprise: no limit."
      ),
    maxUsers: optional("MAX_USERS", Format.integerBetween(1, 1_000_000))
      .describe("Hosted mode: seats of the team, whatever TIER says.")
  }
}
