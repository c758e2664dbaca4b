import type { AgentChange, AgentDraft } from "@troupe/domain/Agent"
import { blankTask } from "@troupe/domain/BlankTask"
import type { MembershipChanges } from "@troupe/domain/Channel"
import type { SettingChanges } from "@troupe/domain/Setting"
import type { SkillChange, SkillDraft } from "@troupe/domain/Skill"
import type { SpendingLimits } from "@troupe/domain/Spending"
import { type Task } from "@troupe/domain/Task"
import type { UserChanges } from "@troupe/domain/User"
import type { WebhookTypeChange } from "@troupe/domain/Webhook"
import type { ApprovalsRequest } from "./ApprovalsApi.ts"
import type { ChatCommandRequest, ChatEventRequest } from "./ChatRequestsApi.ts"
import type { McpMessage } from "./McpApi.ts"
import type { CatalogueRequest, DefaultModel, ModelEntry, ModelTrial } from "./ModelsApi.ts"
import type { PolicyChange, PolicyTest } from "./PolicyApi.ts"
import type { Problem } from "./Problem.ts"
import type { ScheduleDraft, SchedulePreviewRequest, ScheduleUpdate } from "./SchedulesApi.ts"
import type { SettingsTest } from "./SettingsApi.ts"
import type { LogoutRequest } from "./SignInApi.ts"
import type { SkillGenerateRequest, SkillMatchRequest } from "./SkillsApi.ts"
import type { SubscriptionRequest } from "./SubscriptionsApi.ts"
import type { BulkRequest } from "./TaskBulkApi.ts"
import type { PreviewRequest } from "./TaskPreviewApi.ts"
import type { CancelRequest, ChatRequest, HumanResponse, MessageRequest } from "./TaskRequests.ts"
import type { InviteRequest, MemberChange, TokenRequest } from "./TeamApi.ts"
import type { AcceptedTools, ToolServersRequest } from "./ToolServersApi.ts"
import type { ToolTest } from "./ToolTest.ts"

const taskId = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"

const used = { input_tokens: 4700, output_tokens: 420, model_calls: 3, tool_calls: 2, cost: null }

const task: typeof Task.Encoded = {
  id: taskId,
  title: "Compare three heat pumps",
  ...blankTask,
  description: "Compare three heat pumps for a house of 120 m2 and recommend one",
  status: "completed",
  created_at: "2026-01-15T09:30:00.000Z",
  updated_at: "2026-01-15T09:32:10.000Z",
  progress: 100,
  logs: [
    {
      id: "1.0",
      timestamp: "2026-01-15T09:30:00.120Z",
      level: "info",
      event: "status",
      message: "Started",
      data: null
    }
  ],
  outputs: [
    {
      id: "4.0",
      type: "text",
      content: "The second one is the quietest, and costs the least over ten years.",
      filename: null,
      size: null,
      created_at: "2026-01-15T09:32:10.000Z"
    }
  ],
  creator: "default",
  tokens_used: 5120,
  iteration_count: 3,
  usage: { ...used, total: used },
  started_at: "2026-01-15T09:30:00.100Z",
  completed_at: "2026-01-15T09:32:10.000Z"
}

const problem: typeof Problem.Encoded = {
  type: "/problems/invalid-request",
  title: "The request is not valid",
  status: 400,
  detail: "message: 1 to 100,000 characters, not blanks alone",
  instance: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  errors: [{ path: "message", message: "1 to 100,000 characters, not blanks alone" }]
}

/** Examples of schemas, by their name in the document. */
export const schemaExamples: Readonly<Record<string, unknown>> = { Task: task, Problem: problem }

/** Examples of parameters in paths. */
export const parameterExamples: Readonly<Record<string, string>> = {
  task_id: taskId,
  seq: "2",
  bulk_id: "0199f0c2-99c4-7d21-8b6e-2a5f7c9e1d40",
  user_id: "default",
  agent_name: "researcher",
  skill_name: "summarize-document",
  notification_id: "0199f0c2-8a10-7d51-8c0e-5b7f0e2a9d31",
  memory_id: "0199f0c2-91b4-7f0a-a3d2-6c1e8b5f4a07",
  channel_id: "C0123456789",
  grant_id: "0199f0c2-9b02-7a44-9c3f-1e2d3c4b5a70",
  outbox_id: "0199f0c2-9b02-7a44-9c3f-1e2d3c4b5a69",
  token_id: "0199f0c2-96aa-7d20-8c14-5e3f7a1b9c42",
  member_id: "0199f0c2-95d8-7c31-b2e4-7d0f9c6a5b18",
  schedule_id: "0199f0c2-97e3-7a40-8d15-3b2c6f9e7d20",
  delivery_id: "0199f0c2-a2c6-7e19-8d57-0b3a6f9c4e21",
  webhook_type: "orders",
  subscription_id: "0199f0c2-98a1-7b62-9d03-4c1e7a5f2b60",
  path: "report.pdf",
  server_name: "files",
  tool_name: "write_file",
  name: "main",
  query: "Summarize the attached report"
}

/** Examples of request bodies, by operation. The explorer sends them as they are. */
export const requestExamples = {
  "tasks.chat": { message: "use list_directory {}" } satisfies typeof ChatRequest.Encoded,
  "approvals.decide": {
    decisions: [{ tool_call_id: "call_1", decision: "approve" }]
  } satisfies typeof ApprovalsRequest.Encoded,
  "policy.update": {
    revision: 0,
    preset: "balanced",
    rules: [{ effect: "ask", tool: "github__merge*", who: ["admin"], because: "merges are released at once" }],
    classes: { "github__get_*": "read" }
  } satisfies typeof PolicyChange.Encoded,
  "policy.test": {
    rules: [{ effect: "ask", tool: "github__merge*", because: "merges are released at once" }],
    days: 30
  } satisfies typeof PolicyTest.Encoded,
  "tasks.humanResponse": { task_id: taskId, response: "The blue one" } satisfies typeof HumanResponse.Encoded,
  "tasks.cancel": { reason: "No longer needed" } satisfies typeof CancelRequest.Encoded,
  "tasks.message": { message: "Only consider models below 45 dB" } satisfies typeof MessageRequest.Encoded,
  "taskBulk.start": { action: "retry", filter: { status: "failed" } } satisfies typeof BulkRequest.Encoded,
  "taskPreview.preview": { message: "Summarize the attached report" } satisfies typeof PreviewRequest.Encoded,
  "agents.create": {
    name: "sales",
    description: "Answers questions of customers about offers and prices",
    instructions: "Answer in the language of the customer. Take prices from the price list only.",
    tools: ["read_file", "read_document", "list_directory"],
    mailboxes: ["sales@example.com"]
  } satisfies typeof AgentDraft.Encoded,
  "agents.update": { max_iterations: 30 } satisfies typeof AgentChange.Encoded,
  "skills.create": {
    name: "release-notes",
    description: "Writes release notes from a list of changes",
    instructions: "Group the changes by what users notice. One line each, most important first.",
    tags: ["release notes", "changelog"]
  } satisfies typeof SkillDraft.Encoded,
  "skills.update": { tags: ["release notes"] } satisfies typeof SkillChange.Encoded,
  "skills.match": { query: "Summarize the attached report" } satisfies typeof SkillMatchRequest.Encoded,
  "skills.generate": {
    description: "Turns meeting notes into a list of tasks"
  } satisfies typeof SkillGenerateRequest.Encoded,
  "settings.change": { AGENT_HARD_ITERATIONS: 20 } satisfies SettingChanges,
  "webhookTypes.configure": { trusted: false } satisfies WebhookTypeChange,
  "settings.test": { section: "storage" } satisfies typeof SettingsTest.Encoded,
  "toolServers.configure": {
    mcpServers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"] } }
  } satisfies typeof ToolServersRequest.Encoded,
  "toolServers.test": { arguments: { path: "/srv/files/hello.txt" } } satisfies typeof ToolTest.Encoded,
  "toolServers.accept": {
    tools: { read_file: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }
  } satisfies typeof AcceptedTools.Encoded,
  "limits.update": {
    team: { day: 20, month: 300 },
    person: { day: 5 },
    agents: { researcher: { month: 50 } }
  } satisfies typeof SpendingLimits.Encoded,
  "models.save": {
    provider: "openai-compatible",
    base_url: "https://models.example.com/v1",
    model: "qwen3:8b",
    context_tokens: 32_768
  } satisfies typeof ModelEntry.Encoded,
  "models.trial": {
    provider: "openai-compatible",
    base_url: "https://models.example.com/v1",
    model: "qwen3:8b"
  } satisfies typeof ModelTrial.Encoded,
  "models.catalogue": {
    provider: "openai-compatible",
    base_url: "https://models.example.com/v1"
  } satisfies typeof CatalogueRequest.Encoded,
  "models.choose": { default: "settings", fallbacks: [] } satisfies typeof DefaultModel.Encoded,
  "users.change": { display_name: "Ada", timezone: "Europe/London" } satisfies typeof UserChanges.Encoded,
  "channels.changeMember": {
    role: "Engineer on call",
    responsibilities: "Incidents of the shop"
  } satisfies typeof MembershipChanges.Encoded,
  "signIn.logout": { everywhere: true } satisfies typeof LogoutRequest.Encoded,
  "team.invite": { email: "ada@example.com", role: "member" } satisfies typeof InviteRequest.Encoded,
  "tokens.create": {
    name: "Nightly reports",
    role: "member",
    expires_in_days: 90
  } satisfies typeof TokenRequest.Encoded,
  "team.change": { role: "admin" } satisfies typeof MemberChange.Encoded,
  "schedules.create": {
    message: "Summarize yesterday's support mails",
    every: "every weekday at 9",
    timezone: "Europe/Berlin"
  } satisfies typeof ScheduleDraft.Encoded,
  "schedules.preview": {
    every: "every weekday at 9",
    timezone: "Europe/Berlin"
  } satisfies typeof SchedulePreviewRequest.Encoded,
  "schedules.change": { every: "last friday of the month" } satisfies typeof ScheduleUpdate.Encoded,
  "webhooks.receive": { order: 1042, status: "paid" },
  "webhooks.receiveTeamChat": { event: { channel: "C024BE91L", user: "U024BE7LH", text: "Hello" } },
  "subscriptions.create": {
    url: "https://hooks.example.com/troupe",
    events: ["task.completed", "task.failed"]
  } satisfies typeof SubscriptionRequest.Encoded,
  "chatRequests.event": {
    type: "event_callback",
    event_id: "Ev0PV52K21",
    event: {
      type: "app_mention",
      user: "U061F7AUR",
      channel: "C0LAN2Q65",
      ts: "1515449522.000016",
      text: "<@U0LAN0Z89> hello"
    }
  } satisfies typeof ChatEventRequest.Encoded,
  "chatRequests.command": {
    user_id: "U061F7AUR",
    channel_id: "C0LAN2Q65",
    text: "status"
  } satisfies typeof ChatCommandRequest.Encoded,
  "chatRequests.interaction": { payload: "{\"type\": \"block_actions\"}" },
  "mcp.message": { jsonrpc: "2.0", id: 1, method: "tools/list" } satisfies typeof McpMessage.Encoded
} as const
