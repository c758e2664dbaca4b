import { Duration, type Option, type Redacted } from "effect"

/** Several processes serve a role behind a load balancer, which has to notice that one ends. */
export const usualDrainTime = Duration.seconds(5)

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
  /** How long a shutdown waits for load balancers to notice it before it refuses requests; none: `usualDrainTime`. */
  readonly drainTime: Option.Option<Duration.Duration>
  /** The token that `GET /metrics` requires. None: it is open when self-hosted, off when hosted. */
  readonly metricsToken: Option.Option<Redacted.Redacted>
}
