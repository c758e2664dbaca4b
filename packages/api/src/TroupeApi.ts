import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { AgentsApi } from "./AgentsApi.ts"
import { ApprovalsApi } from "./ApprovalsApi.ts"
import { ChannelsApi, TeamChatApi } from "./ChannelsApi.ts"
import { ChatRequestsApi } from "./ChatRequestsApi.ts"
import { FilesApi } from "./FilesApi.ts"
import { LimitsApi } from "./LimitsApi.ts"
import { MailApi } from "./MailApi.ts"
import { McpApi } from "./McpApi.ts"
import { MemoriesApi } from "./MemoriesApi.ts"
import { ModelsApi } from "./ModelsApi.ts"
import { NotificationsApi } from "./NotificationsApi.ts"
import { document } from "./OpenApiDocument.ts"
import { OutboxApi } from "./OutboxApi.ts"
import { PolicyApi } from "./PolicyApi.ts"
import { Problem } from "./Problem.ts"
import { SchedulesApi } from "./SchedulesApi.ts"
import { SettingsApi } from "./SettingsApi.ts"
import { SignInApi } from "./SignInApi.ts"
import { SkillsApi } from "./SkillsApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { TaskBulkApi } from "./TaskBulkApi.ts"
import { TaskPreviewApi } from "./TaskPreviewApi.ts"
import { TasksApi } from "./TasksApi.ts"
import { TaskStepsApi } from "./TaskStepsApi.ts"
import { TeamApi, TokensApi } from "./TeamApi.ts"
import { ToolServersApi } from "./ToolServersApi.ts"
import { ToolServerSignInApi } from "./ToolServerSignInApi.ts"
import { UnattendedApi } from "./UnattendedApi.ts"
import { PersonalDataApi, UsersApi } from "./UsersApi.ts"
import { WebhooksApi, WebhookTypesApi } from "./WebhooksApi.ts"

/** Version of the HTTP interface: raised when a client would notice. */
export const apiVersion = "1.0"

/** The whole HTTP interface: server, client and documentation derive from it. */
export class TroupeApi extends HttpApi.make("troupe")
  .add(SystemApi)
  .add(SettingsApi)
  .add(SignInApi)
  .add(TasksApi)
  .add(TaskStepsApi)
  .add(TaskBulkApi)
  .add(TaskPreviewApi)
  .add(AgentsApi)
  .add(ApprovalsApi)
  .add(PolicyApi)
  .add(SkillsApi)
  .add(ToolServersApi)
  .add(ToolServerSignInApi)
  .add(ModelsApi)
  .add(UsersApi)
  .add(NotificationsApi)
  .add(FilesApi)
  .add(McpApi)
  .add(TeamApi)
  .add(TokensApi)
  .add(ChannelsApi)
  .add(TeamChatApi)
  .add(ChatRequestsApi)
  .add(MemoriesApi)
  .add(PersonalDataApi)
  .add(SchedulesApi)
  .add(UnattendedApi)
  .add(WebhooksApi)
  .add(WebhookTypesApi)
  .add(SubscriptionsApi)
  .add(OutboxApi)
  .add(MailApi)
  .add(LimitsApi)
  .annotate(HttpApi.AdditionalSchemas, [Problem])
  .annotateContext(OpenApi.annotations({
    title: "Troupe",
    version: apiVersion,
    description: "Agent tasks as durable, supervised actors. Errors are problem+json (RFC 9457).",
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
    servers: [{ url: "/", description: "This service" }],
    transform: document
  }))
{}
