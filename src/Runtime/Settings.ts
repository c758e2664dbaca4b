import { Context, type Duration, type Option, type Redacted } from "effect"

/** Every setting of the service, read once at the start, decoded and with its default applied (contract.md 13). */
export class Settings extends Context.Tag("troupe/Runtime/Settings")<Settings, {
  readonly deploymentMode: "self-hosted" | "hosted"
  readonly http: {
    readonly host: string
    readonly port: number
    readonly publicUrl: URL
    readonly corsOrigins: Option.Option<ReadonlyArray<string>>
    readonly allowedHosts: ReadonlyArray<string>
    readonly trustedProxies: ReadonlyArray<string>
    readonly rateLimitPerMinute: Option.Option<number>
  }
  readonly log: { readonly level: "debug" | "info" | "warning" | "error"; readonly format: "auto" | "pretty" | "json" }
  readonly database: {
    /** None: the embedded PostgreSQL under `dataDir`. */
    readonly url: Option.Option<Redacted.Redacted>
    readonly maxConnections: number
    readonly dataDir: string
  }
  readonly storage: {
    /** Root of the users' sandboxes. */
    readonly path: string
    readonly quotaBytes: number
    readonly maxUploadBytes: number
  }
  readonly agent: {
    readonly specialization: string
    readonly additionalInstructions: Option.Option<string>
    readonly maxParallelToolCalls: number
    readonly stepTimeout: Duration.Duration
    readonly subagentStepTimeout: Duration.Duration
  }
  readonly worker: {
    readonly maxActiveTasks: number
    readonly maxCrashes: number
    readonly pollInterval: Duration.Duration
  }
  readonly cluster: {
    readonly host: string
    readonly port: number
    readonly shardLockExpiration: Duration.Duration
    readonly shardLockRefreshInterval: Duration.Duration
    readonly refreshAssignmentsInterval: Duration.Duration
    readonly healthCheckInterval: Duration.Duration
    readonly terminationTimeout: Duration.Duration
  }
  readonly model: ModelSettings
}>() {}

/** Which provider answers, and how it is called (contract.md 11). */
export interface ModelSettings {
  readonly temperature: number
  readonly maxRetries: number
  readonly requestTimeout: Duration.Duration
  readonly provider:
    | { readonly _tag: "offline" }
    | {
      readonly _tag: "gemini" | "local" | "openai"
      readonly baseUrl: string
      readonly apiKey: Option.Option<Redacted.Redacted>
      readonly model: string
      readonly embeddingModel: string
    }
}
