import { Config, ConfigError, Duration, Either, Option } from "effect"
import { join } from "node:path"
import { agent, mail, memory, model, skills, toolServers } from "./AgentSettings.ts"
import { core, hosted, storage, telemetry, worker } from "./ServiceSettings.ts"
import { required } from "./Setting.ts"

const bracketed = (host: string) => host.includes(":") ? `[${host}]` : host

/** An address that listens everywhere is no address to go to. */
const reachable = (host: string) => host === "0.0.0.0" || host === "::" ? "localhost" : bracketed(host)

const http = Config.all({
  host: core.host.config,
  port: core.port.config,
  publicUrl: core.publicUrl.config,
  corsOrigins: core.corsOrigins.config,
  allowedHosts: core.allowedHosts.config,
  trustedProxies: core.trustedProxies.config,
  rateLimitPerMinute: core.rateLimitPerMinute.config,
  maxConnections: core.maxConnections.config,
  maxEventStreamsPerCaller: core.maxEventStreamsPerCaller.config,
  deploymentMode: core.deploymentMode.config
}).pipe(Config.map(({ deploymentMode, ...given }) => ({
  ...given,
  publicUrl: Option.getOrElse(given.publicUrl, () => new URL(`http://${reachable(given.host)}:${given.port}`)),
  rateLimitPerMinute: Option.filter(Option.some(given.rateLimitPerMinute), (limit) => limit > 0),
  maxEventStreamsPerCaller: Option.getOrElse(
    given.maxEventStreamsPerCaller,
    () => Math.min(deploymentMode === "hosted" ? 100 : Infinity, Math.ceil(given.maxConnections / 2))
  )
})))

const isHosted = Config.map(core.deploymentMode.config, (mode) => mode === "hosted")

const team = Config.all({
  isHosted,
  issuer: hosted.issuer.config,
  audience: hosted.audience.config,
  ownerEmail: hosted.ownerEmail.config
}).pipe(Config.map(({ isHosted, ...facts }) => isHosted ? Option.all(facts) : Option.none()))

const tracing = Config.all({
  endpoint: telemetry.otlpEndpoint.config,
  headers: telemetry.otlpHeaders.config,
  serviceName: telemetry.serviceName.config,
  sampleRatio: telemetry.sampleRatio.config
}).pipe(Config.map(({ endpoint, ...given }) => Option.map(endpoint, (endpoint) => ({ ...given, endpoint }))))

const locations = Config.all({
  dataDir: storage.dataDir.config,
  files: storage.path.config,
  projects: storage.projects.config,
  skills: skills.path.config
}).pipe(
  Config.map(({ dataDir, files, projects, skills }) => ({
    dataDir,
    files: Option.getOrElse(files, () => join(dataDir, "files")),
    projects: Option.getOrElse(projects, () => join(dataDir, "projects")),
    skills: Option.getOrElse(skills, () => join(dataDir, "skills"))
  }))
)

const isGemini = model.useGemini.config
const isLocal = Config.all([isGemini, model.useLocalModel.config]).pipe(
  Config.map(([gemini, local]) => !gemini && local)
)

const openAiUrl = "https://api.openai.com/v1"

/** Total over what is given: the rules below report a chosen provider that lacks something. */
const provider = Config.all({
  isGemini,
  isLocal,
  gemini: Config.all({
    baseUrl: model.geminiBaseUrl.config,
    apiKey: model.geminiApiKey.config,
    model: model.geminiModel.config,
    embeddingModel: model.geminiEmbeddingModel.config
  }),
  local: Config.all({
    baseUrl: Config.map(model.localUrl.config, Option.getOrElse(() => "")),
    model: model.localModel.config,
    embeddingModel: model.localEmbeddingModel.config
  }),
  openAi: Config.all({
    baseUrl: model.openAiBaseUrl.config,
    apiKey: model.openAiApiKey.config,
    model: model.openAiModel.config,
    embeddingModel: model.openAiEmbeddingModel.config
  })
}).pipe(Config.map(({ gemini, isGemini, isLocal, local, openAi }) => {
  if (isGemini) return { _tag: "gemini" as const, ...gemini }
  if (isLocal) return { _tag: "local" as const, apiKey: Option.none(), ...local }
  return Option.isSome(openAi.apiKey) || Option.isSome(openAi.baseUrl)
    ? { _tag: "openai" as const, ...openAi, baseUrl: Option.getOrElse(openAi.baseUrl, () => openAiUrl) }
    : { _tag: "offline" as const }
}))

/** What the models that are used by default can read, or what a server of one's own is usually set up for. */
const usualContext = { gemini: 1_000_000, local: 32_768, offline: 1_000_000, openai: 128_000 }

const language = Config.all({
  temperature: model.temperature.config,
  maxRetries: model.maxRetries.config,
  requestTimeout: model.requestTimeout.config,
  vision: model.vision.config,
  provider,
  contextTokens: model.contextTokens.config
}).pipe(Config.map((given) => ({
  ...given,
  contextTokens: Option.getOrElse(given.contextTokens, () => usualContext[given.provider._tag]),
  temperature: Option.getOrElse(given.temperature, () => given.provider._tag === "local" ? 0 : 1)
})))

const usualPorts = { true: 465, starttls: 587, false: 25 } as const

/** Total over what is given, like the provider: the rules below report what is missing. */
const smtp = Config.all({
  host: mail.smtpHost.config,
  port: mail.smtpPort.config,
  secure: mail.smtpSecure.config,
  user: mail.smtpUser.config,
  password: mail.smtpPassword.config,
  from: mail.smtpFrom.config
}).pipe(
  Config.map(({ from, host, password, port, secure, user }) =>
    Option.map(Option.all({ host, from }), (given) => ({
      ...given,
      secure,
      port: Option.getOrElse(port, () => usualPorts[secure]),
      login: Option.all({ user, password })
    }))
  )
)

const isSet = (setting: { readonly config: Config.Config<Option.Option<unknown>> }) =>
  Config.map(setting.config, Option.isSome)

const recentFitThreshold = Config.all([agent.maxRecentMessages.config, agent.compactionThreshold.config]).pipe(
  Config.mapOrFail(([recent, threshold]) =>
    recent > threshold
      ? Either.left(
        ConfigError.InvalidData([agent.maxRecentMessages.name], `at most COMPACTION_THRESHOLD (${threshold})`)
      )
      : Either.void
  )
)

const refreshFitsExpiration = Config.all([worker.shardLockRefreshInterval.config, worker.shardLockExpiration.config])
  .pipe(
    Config.mapOrFail(([refresh, expiration]) =>
      Duration.toMillis(refresh) * 2 > Duration.toMillis(expiration)
        ? Either.left(
          ConfigError.InvalidData(
            [worker.shardLockRefreshInterval.name],
            `at most half of SHARD_LOCK_EXPIRATION (${Duration.toSeconds(expiration)})`
          )
        )
        : Either.void
    )
  )

const streamsFitConnections = Config.all([core.maxEventStreamsPerCaller.config, core.maxConnections.config]).pipe(
  Config.mapOrFail(([streams, connections]) =>
    Option.exists(streams, (given) => given >= connections)
      ? Either.left(
        ConfigError.InvalidData(
          [core.maxEventStreamsPerCaller.name],
          `below MAX_CONNECTIONS (${connections}), as each event stream holds a connection`
        )
      )
      : Either.void
  )
)

/** Rules between settings; they read again what they speak of, so that they are reported beside everything else. */
const rules = Config.all([
  required(hosted.issuer, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(hosted.audience, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(hosted.ownerEmail, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(model.geminiApiKey, isGemini, "USE_GEMINI=true"),
  required(model.localUrl, isLocal, "USE_LOCAL_MODEL=true"),
  required(mail.smtpFrom, isSet(mail.smtpHost), "SMTP_HOST is set"),
  required(mail.smtpPassword, isSet(mail.smtpUser), "SMTP_USER is set"),
  required(mail.smtpUser, isSet(mail.smtpPassword), "SMTP_PASSWORD is set"),
  recentFitThreshold,
  refreshFitsExpiration,
  streamsFitConnections
])

const everything = Config.all({
  deploymentMode: core.deploymentMode.config,
  http,
  team,
  log: Config.all({ level: core.logLevel.config, format: core.logFormat.config }),
  metrics: Config.all({ token: telemetry.metricsToken.config, port: telemetry.metricsPort.config }),
  tracing,
  databaseUrl: storage.databaseUrl.config,
  maxConnections: storage.maxConnections.config,
  locations,
  quotaBytes: storage.quota.config,
  maxUploadBytes: storage.maxUpload.config,
  agent: Config.all({
    specialization: agent.specialization.config,
    additionalInstructions: agent.additionalInstructions.config,
    maxParallelToolCalls: agent.maxParallelToolCalls.config,
    compactionThreshold: agent.compactionThreshold.config,
    maxRecentMessages: agent.maxRecentMessages.config,
    contextShare: agent.contextShare.config,
    limits: Config.all({
      soft: agent.softIterations.config,
      hard: agent.hardIterations.config,
      recursion: agent.recursionLimit.config
    }),
    subagentLimits: Config.all({
      soft: agent.subagentSoftIterations.config,
      hard: agent.subagentHardIterations.config,
      recursion: agent.subagentRecursionLimit.config
    }),
    stepTimeout: agent.stepTimeout.config,
    subagentStepTimeout: agent.subagentStepTimeout.config
  }),
  skills: Config.all({
    threshold: skills.threshold.config,
    max: skills.max.config,
    refreshInterval: skills.refreshInterval.config,
    intentPreprocessing: skills.intentPreprocessing.config,
    scriptNetwork: skills.scriptNetwork.config
  }),
  toolServers: Config.all({
    configFile: toolServers.configFile.config,
    secretsKey: toolServers.secretsKey.config,
    connectTimeout: toolServers.connectTimeout.config,
    callTimeout: toolServers.callTimeout.config,
    acceptChanged: toolServers.acceptChanged.config,
    allowStdio: toolServers.allowStdio.config
  }),
  memory: Config.all({
    autoSave: memory.autoSave.config,
    maxPerUser: memory.maxPerUser.config,
    cacheBytes: memory.cache.config
  }),
  worker: Config.all({
    maxActiveTasks: worker.maxActiveTasks.config,
    maxCrashes: worker.maxCrashes.config,
    suspectPause: worker.suspectPause.config,
    pollInterval: worker.pollInterval.config
  }),
  cluster: Config.all({
    host: worker.host.config,
    port: worker.port.config,
    shardLockExpiration: worker.shardLockExpiration.config,
    shardLockRefreshInterval: worker.shardLockRefreshInterval.config,
    refreshAssignmentsInterval: worker.assignmentInterval.config,
    healthCheckInterval: worker.healthInterval.config,
    terminationTimeout: worker.terminationTimeout.config
  }),
  model: language,
  mail: Config.all({ smtp })
})

/** All settings in the shape of `Settings`; fails with every mistake there is, not with the first. */
export const settingsConfig = Config.all([everything, rules]).pipe(
  Config.map(([{ databaseUrl, locations, maxConnections, maxUploadBytes, quotaBytes, ...rest }]) => ({
    ...rest,
    database: { url: databaseUrl, maxConnections, dataDir: locations.dataDir },
    storage: { path: locations.files, quotaBytes, maxUploadBytes },
    projects: { path: locations.projects },
    skills: { ...rest.skills, path: locations.skills }
  }))
)
