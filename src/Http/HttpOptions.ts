import type { Duration, Option, Redacted } from "effect"

export interface HttpOptions {
  readonly deploymentMode: "self-hosted" | "hosted"
  readonly host: string
  readonly port: number
  readonly publicUrl: URL
  /** None: the service's own when self-hosted, none when hosted. */
  readonly corsOrigins: Option.Option<ReadonlyArray<string>>
  readonly allowedHosts: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<string>
  /** 0: no limit. */
  readonly rateLimitPerMinute: number
  readonly maxConnections: number
  readonly maxEventStreamsPerCaller: number
  readonly maxUploadBytes: number
  /** How long a shutdown waits for load balancers to notice it before it refuses requests. */
  readonly drainTime: Duration.Duration
  /** The token that `GET /metrics` requires. None: it is open when self-hosted, off when hosted. */
  readonly metricsToken: Option.Option<Redacted.Redacted>
}
