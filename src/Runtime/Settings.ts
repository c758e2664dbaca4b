import { FileSystem, PlatformConfigProvider } from "@effect/platform"
import type { Limits } from "@troupe/domain/Limits"
import type { Mailbox } from "@troupe/domain/Mailbox"
import { ConfigProvider, Context, type Duration, Effect, Layer, type Option, type Redacted } from "effect"
import { settingsConfig } from "./SettingsConfig.ts"
import { SettingsInvalid } from "./SettingsInvalid.ts"
import { mistakesOf, withoutBlanks } from "./SettingsSource.ts"

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
    readonly maxConnections: number
    readonly maxEventStreamsPerCaller: number
  }
  /** What sign-in rests on; some exactly in hosted mode. */
  readonly team: Option.Option<{ readonly issuer: URL; readonly audience: string; readonly ownerEmail: string }>
  readonly log: { readonly level: "debug" | "info" | "warning" | "error"; readonly format: "auto" | "pretty" | "json" }
  readonly metrics: {
    /** What `GET /metrics` asks for. None: it is open, or off in hosted mode. */
    readonly token: Option.Option<Redacted.Redacted>
    /** Where a process that serves nothing else answers it. None: nowhere. */
    readonly port: Option.Option<number>
  }
  /** Where spans go. None: there are none. */
  readonly tracing: Option.Option<{
    readonly endpoint: URL
    /** `name=value,name=value`, values percent-encoded. */
    readonly headers: Option.Option<Redacted.Redacted>
    readonly serviceName: string
    readonly sampleRatio: number
  }>
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
  /** Where each project has its folder. */
  readonly projects: { readonly path: string }
  readonly agent: {
    readonly specialization: string
    readonly additionalInstructions: Option.Option<string>
    readonly maxParallelToolCalls: number
    /** A conversation longer than `compactionThreshold` messages keeps its last `maxRecentMessages` as they are. */
    readonly compactionThreshold: number
    readonly maxRecentMessages: number
    /** A request is compacted as well when it takes more than this share of `model.contextTokens`. */
    readonly contextShare: number
    readonly limits: Limits
    readonly subagentLimits: Limits
    readonly stepTimeout: Duration.Duration
    readonly subagentStepTimeout: Duration.Duration
  }
  readonly skills: {
    /** Folder of the skills that users write. */
    readonly path: string
    readonly threshold: number
    readonly max: number
    readonly refreshInterval: Duration.Duration
    /** Whether a model call chooses the tools that a task is offered. */
    readonly intentPreprocessing: boolean
    /** Whether scripts of skills reach the network. */
    readonly scriptNetwork: boolean
  }
  readonly toolServers: {
    /** Seeds the configuration while the database has none. */
    readonly configFile: Option.Option<string>
    readonly secretsKey: Option.Option<Redacted.Redacted>
    readonly connectTimeout: Duration.Duration
    readonly callTimeout: Duration.Duration
    /** Whether tools whose definition changed stay in use. */
    readonly acceptChanged: boolean
    /** Whether hosted mode takes servers that are programs of this machine. */
    readonly allowStdio: boolean
  }
  readonly memory: {
    readonly autoSave: boolean
    readonly maxPerUser: number
    readonly cacheBytes: number
  }
  readonly worker: {
    readonly maxActiveTasks: number
    readonly maxCrashes: number
    readonly suspectPause: Duration.Duration
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
  readonly model: ModelSettings & { readonly contextTokens: number }
  readonly mail: {
    /** None: no mail is sent. */
    readonly smtp: Option.Option<SmtpSettings>
  }
}>() {
  /** Reads the environment and, beneath it, `.env` of the working directory; a blank value counts as unset. */
  static readonly layer: Layer.Layer<Settings, SettingsInvalid, FileSystem.FileSystem> = Layer.effect(
    this,
    Effect.gen(function*() {
      const environment = withoutBlanks(yield* Effect.configProviderWith(Effect.succeed))
      const files = yield* FileSystem.FileSystem
      if (!(yield* Effect.orElseSucceed(files.exists(dotEnv), () => false))) return yield* load(environment)
      const file = yield* Effect.mapError(
        PlatformConfigProvider.fromDotEnv(dotEnv),
        () => new SettingsInvalid({ mistakes: [{ name: dotEnv, given: null, expected: "a file that can be read" }] })
      )
      return yield* load(ConfigProvider.orElse(environment, () => withoutBlanks(file)))
    })
  )

  /** Settings of just these values, named as in the environment; nothing else is read. */
  static readonly layerFrom = (values: Readonly<Record<string, string>>): Layer.Layer<Settings, SettingsInvalid> =>
    Layer.effect(this, load(withoutBlanks(ConfigProvider.fromMap(new Map(Object.entries(values))))))
}

const dotEnv = ".env"

const load = (provider: ConfigProvider.ConfigProvider): Effect.Effect<Settings["Type"], SettingsInvalid> =>
  Effect.catchAll(
    provider.load(settingsConfig),
    (error) => Effect.flatMap(mistakesOf(error, provider), (mistakes) => new SettingsInvalid({ mistakes }))
  )

/** Which provider answers, and how it is called (contract.md 11). */
export interface ModelSettings {
  readonly temperature: number
  readonly maxRetries: number
  readonly requestTimeout: Duration.Duration
  /** Whether pictures are sent; by the model's name where it is `auto` or left out. */
  readonly vision?: "auto" | "true" | "false"
  /** How long a call may take with all its retries; no limit by default. Within a step's limit it names the cause. */
  readonly totalTimeout?: Duration.Duration
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

/** The server that sends our mail. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** `true`: TLS from the start. `starttls`: TLS before anything is said. `false`: no TLS. */
  readonly secure: "true" | "starttls" | "false"
  readonly login: Option.Option<{ readonly user: string; readonly password: Redacted.Redacted }>
  readonly from: Mailbox
}
