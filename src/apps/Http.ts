import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { version } from "@troupe/domain/Version"
import { Effect, Layer, Option } from "effect"
import { AgentsHttp } from "../Agent/Definition/AgentsHttp.ts"
import { TaskPreviewHttp } from "../Agent/TaskPreviewHttp.ts"
import { NotificationsHttp, NotificationsRpcLayer, OutboxHttp, SubscriptionsHttp } from "../Delivery/DeliveryHttp.ts"
import { FilesHttp } from "../File/FilesHttp.ts"
import * as Callers from "../Http/Callers.ts"
import * as Console from "../Http/Console.ts"
import { HealthChecks } from "../Http/HealthChecks.ts"
import type { HttpOptions } from "../Http/HttpOptions.ts"
import * as NodeServer from "../Http/NodeServer.ts"
import * as Probes from "../Http/Probes.ts"
import * as Server from "../Http/Server.ts"
import { SettingsHttp } from "../Http/SettingsHttp.ts"
import { StorageUsage } from "../Http/StorageUsage.ts"
import { SystemHttp } from "../Http/SystemHttp.ts"
import { ChatRequestsHttp } from "../Intake/Chat/ChatRequestsHttp.ts"
import { MailHttp } from "../Intake/Mail/IgnoredMails.ts"
import { SchedulesHttp } from "../Intake/Schedule/SchedulesHttp.ts"
import { UnattendedHttp } from "../Intake/Unattended/Unattended.ts"
import { WebhooksHttp, WebhookTypesHttp } from "../Intake/Webhook/WebhooksHttp.ts"
import { McpHttp } from "../Mcp/McpHttp.ts"
import { MemoriesHttp } from "../Memory/MemoriesHttp.ts"
import { embeddingProviderOf } from "../Model/ModelSettings.ts"
import { ModelsHttp } from "../Model/ModelsHttp.ts"
import { ChannelsHttp, TeamChatHttp, TeamHttp, TokensHttp, UsersHttp } from "../People/PeopleHttp.ts"
import * as InvitationPage from "../People/SignIn/InvitationPage.ts"
import { consoleSignIn } from "../People/SignIn/SignIn.ts"
import { SignInHttp } from "../People/SignIn/SignInHttp.ts"
import { PolicyHttp } from "../Policy/PolicyHttp.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { SkillsHttp } from "../Skill/SkillsHttp.ts"
import { ApprovalsHttp } from "../Task/ApprovalsHttp.ts"
import { LimitsHttp } from "../Task/Spending/LimitsHttp.ts"
import { BulkOperationsHttp, PersonalDataHttp, TasksHttp, TasksRpcLayer, TaskStepsHttp } from "../Task/TasksHttp.ts"
import { ToolServersHttp } from "../ToolServer/ToolServersHttp.ts"
import { ToolServerSignInHttp } from "../ToolServer/ToolServerSignInHttp.ts"
import { webhookSettings } from "./Intake.ts"
import { latest } from "./Latest.ts"
import { settingTests } from "./SettingTests.ts"
import * as TeamChat from "./TeamChat.ts"

export const httpOptions = ({ deploymentMode, http, metrics, stored }: Settings["Type"]): HttpOptions =>
  latest(stored, (now) => ({
    ...http,
    rateLimitPerMinute: now.http.rateLimitPerMinute,
    maxUploadBytes: now.storage.maxUploadBytes,
    deploymentMode,
    metricsToken: metrics.token
  }))

/** Every room's endpoints, the docs and the console, behind the hardening layer. The use-cases and the server are left open. */
export const api = (settings: Settings["Type"], consoleFolder: string | null = null) => {
  const options = httpOptions(settings)
  return Server.serve(options, consoleFolder).pipe(
    Layer.provide(HttpApiBuilder.api(TroupeApi)),
    Layer.provide([
      TasksHttp,
      TaskStepsHttp,
      BulkOperationsHttp,
      TaskPreviewHttp,
      AgentsHttp,
      LimitsHttp,
      SkillsHttp,
      ToolServersHttp,
      ToolServerSignInHttp({ isHosted: settings.isHosted, publicUrl: settings.http.publicUrl }),
      ModelsHttp,
      SettingsHttp(settingTests),
      SystemHttp(latest(settings.stored, ({ chat, mail }) => ({
        ...options,
        hasConsole: consoleFolder !== null,
        hasChannels: Option.isSome(chat.token),
        hasChat: Option.isSome(chat.token) && Option.isSome(chat.signingSecret),
        readsMail: Option.isSome(mail.inbox),
        settings: settings.stored.inEffect
      }))),
      UsersHttp,
      NotificationsHttp,
      SubscriptionsHttp,
      MemoriesHttp,
      PersonalDataHttp,
      SchedulesHttp,
      UnattendedHttp,
      McpHttp({ version, console: settings.http.console }),
      SignInHttp({ publicUrl: settings.http.publicUrl, maxTime: settings.signIn.maxTime }),
      TeamHttp,
      TokensHttp,
      ChannelsHttp,
      TeamChatHttp,
      ChatRequestsHttp,
      ApprovalsHttp,
      PolicyHttp,
      OutboxHttp,
      MailHttp,
      TasksRpcLayer,
      NotificationsRpcLayer,
      FilesHttp,
      WebhooksHttp,
      WebhookTypesHttp,
      Option.match(settings.team, {
        onNone: () => Layer.empty,
        onSome: ({ issuer }) =>
          InvitationPage.layer({
            issuer,
            login: Option.isSome(settings.signIn.clientId) ? consoleSignIn(settings.http.publicUrl) : null,
            publicUrl: settings.http.publicUrl
          })
      })
    ]),
    Layer.provide([Callers.layer(options), Callers.layerWebhooks(webhookSettings(settings))])
  )
}

/** What the service reports of itself. */
export const healthChecks = ({ database, model, storage, stored }: Settings["Type"]) => {
  const from = embeddingProviderOf(model.provider)
  return Layer.merge(
    HealthChecks.layer(latest(stored, ({ mail }) => ({
      storagePath: storage.path,
      written: [...new Set([storage.path, ...Option.isNone(database.url) ? [database.dataDir] : []])],
      readsMail: Option.isSome(mail.inbox),
      embeddings: from === null ? null : { provider: from._tag, model: from.embeddingModel }
    }))),
    StorageUsage.layer(latest(stored, ({ retention }) => ({ path: storage.path, retentionDays: retention.taskDays })))
  )
}

const rateOf = ({ stored }: Settings["Type"]) => latest(stored, ({ http }) => ({ perMinute: http.rateLimitPerMinute }))

/** The rate limits of one process. */
export const rateLimits = (settings: Settings["Type"]) => RateLimits.layerMemory(rateOf(settings))

/** Several processes may serve the API on a configured database, and only one on the embedded one. */
const apiRateLimits = (settings: Settings["Type"]) =>
  Option.isSome(settings.database.url) ? RateLimits.layer(rateOf(settings)) : rateLimits(settings)

/** The server of a role, on HOST and its port. */
export const server = (options: HttpOptions) =>
  NodeServer.layer(options).pipe(
    Layer.provideMerge(Layer.merge(NodeServer.Shutdown.layer, NodeHttpServer.layerContext))
  )

/** The API on its port. */
export const layer = (settings: Settings["Type"]) =>
  Layer.unwrapEffect(Effect.map(Console.builtFolder, (folder) => api(settings, folder))).pipe(
    Layer.provide(TeamChat.requests(settings)),
    Layer.provide(apiRateLimits(settings)),
    Layer.provide(healthChecks(settings)),
    Layer.provide(server(httpOptions(settings)))
  )

/** `GET /metrics` of a worker, on HOST and METRICS_PORT; nothing without that. */
export const metrics = (settings: Settings["Type"]) =>
  Option.match(settings.metrics.port, {
    onNone: () => Layer.empty,
    onSome: (port) => Probes.metricsServer({ ...httpOptions(settings), port })
  })
