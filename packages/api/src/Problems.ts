import { AccessTokenNotFound } from "@troupe/domain/AccessToken"
import { AgentInvalid, AgentNameTaken, AgentNotFound, AgentReadOnly, AgentsUnwritable } from "@troupe/domain/Agent"
import { ApprovalDecided } from "@troupe/domain/Approval"
import { BulkOperationNotFound } from "@troupe/domain/BulkOperation"
import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { ChannelNotFound, ChatNotConfigured, MembershipNotFound } from "@troupe/domain/Channel"
import { GrantNotFound } from "@troupe/domain/Grant"
import { KeyNotSealable, ModelInUse, ModelInvalid, ModelNotFound } from "@troupe/domain/LanguageModel"
import { MemoryNotFound } from "@troupe/domain/Memory"
import { NotificationNotFound } from "@troupe/domain/Notification"
import { OutboxMessageNotFailed, OutboxMessageNotFound } from "@troupe/domain/Outbox"
import { PolicyChanged, PolicyInvalid, PresetLocked } from "@troupe/domain/Policy"
import { ScheduleEnded, ScheduleInvalid, ScheduleNotFound, TooManySchedules } from "@troupe/domain/Schedule"
import { SearchUnfinished } from "@troupe/domain/Search"
import { SecretsUnsealed, SettingsRefused } from "@troupe/domain/Setting"
import {
  SkillInvalid,
  SkillModelUnavailable,
  SkillNameTaken,
  SkillNotFound,
  SkillNotGenerated,
  SkillReadOnly,
  SkillsUnwritable
} from "@troupe/domain/Skill"
import { LimitsInvalid } from "@troupe/domain/Spending"
import {
  DeliveryNotFound,
  SubscriptionInactive,
  SubscriptionInvalid,
  SubscriptionNotFound,
  TooManySubscriptions
} from "@troupe/domain/Subscription"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { StepNotFound } from "@troupe/domain/TaskStep"
import { AlreadyMember, MemberNotFound, OwnerNotChangeable, SeatsTaken, TeamNotFound } from "@troupe/domain/Team"
import { ChatRequestInvalid, SignatureInvalid } from "@troupe/domain/TeamChat"
import {
  SignInNotPossible,
  ToolNotCallable,
  ToolNotFound,
  ToolServerNotFound,
  ToolServersInvalid
} from "@troupe/domain/ToolServer"
import { AddressTaken, PersonUnknown, UserNotFound } from "@troupe/domain/User"
import {
  FileNotFound,
  FilePathInvalid,
  FileTooLarge,
  FileTypeRefused,
  QuotaExceeded,
  StorageUnavailable,
  UploadInvalid
} from "@troupe/domain/UserFile"
import {
  WebhookDeliveryEmptied,
  WebhookDeliveryNotFound,
  WebhookTypeNotFound,
  WebhookUnverified
} from "@troupe/domain/Webhook"
import { type FieldError, problem } from "./Problem.ts"

type Mistakes = ReadonlyArray<FieldError>
const inBody = ({ reason }: { readonly reason: string }): Mistakes => [{ path: "", message: reason }]
const atField = ({ field, reason }: { readonly field: string; readonly reason: string }): Mistakes => [
  { path: field, message: reason }
]
const atPath = ({ path, reason }: { readonly path: string; readonly reason: string }): Mistakes => [
  { path, message: reason }
]

// Callers, the team, users and channels
export const unauthenticated = problem(Unauthenticated, 401, "Sign in first")
export const notAllowed = problem(NotAllowed, 403, "Not allowed", { slug: "forbidden" })
/** 503 with `Retry-After`. */
export const signInUnavailable = problem(SignInUnavailable, 503, "The identity provider is unavailable")
export const addressTaken = problem(AddressTaken, 409, "Another user has the address")
export const alreadyMember = problem(AlreadyMember, 409, "Already a member")
export const seatsTaken = problem(SeatsTaken, 403, "No seats left", { slug: "seat-limit" })
export const memberNotFound = problem(MemberNotFound, 404, "No such member")
export const ownerNotChangeable = problem(OwnerNotChangeable, 409, "The owner can't be changed")
export const accessTokenNotFound = problem(AccessTokenNotFound, 404, "No such token")
export const teamNotFound = problem(TeamNotFound, 404, "Not found", { slug: "not-found" })
export const userNotFound = problem(UserNotFound, 404, "No such user")
export const personUnknown = problem(PersonUnknown, 400, "It is not known who is meant", { errorsOf: atPath })
export const channelNotFound = problem(ChannelNotFound, 404, "No such channel")
export const membershipNotFound = problem(MembershipNotFound, 404, "No such member of the channel")
export const chatNotConfigured = problem(ChatNotConfigured, 409, "Team chat is not set up")

// Tasks and searches
export const taskNotFound = problem(TaskNotFound, 404, "No such task")
export const stepNotFound = problem(StepNotFound, 404, "No such step")
export const bulkOperationNotFound = problem(BulkOperationNotFound, 404, "No such bulk operation")
export const taskStateConflict = problem(TaskStateConflict, 409, "The task's state does not allow it")
/** With who and when. */
export const approvalDecided = problem(ApprovalDecided, 409, "The call is decided already")
export const grantNotFound = problem(GrantNotFound, 404, "No such grant")
export const policyChanged = problem(PolicyChanged, 409, "The policy was changed meanwhile")
export const presetLocked = problem(PresetLocked, 409, "The preset is set in the environment")
export const policyInvalid = problem(PolicyInvalid, 400, "The policy can't be saved", { errorsOf: atPath })
export const idempotencyConflict = problem(IdempotencyConflict, 409, "The idempotency key can't be used again")
export const taskRequestInvalid = problem(TaskRequestInvalid, 400, "The request for the task is invalid", {
  errorsOf: ({ errors, ...fault }) => errors ?? atPath(fault)
})
/** The request is valid and may succeed later: 503 with `Retry-After`. */
export const searchUnfinished = problem(SearchUnfinished, 503, "The search was aborted")

// Agents
export const agentNotFound = problem(AgentNotFound, 404, "No such agent")
export const agentNameTaken = problem(AgentNameTaken, 409, "The agent's name is taken")
export const agentReadOnly = problem(AgentReadOnly, 409, "The agent is built in")
export const agentInvalid = problem(AgentInvalid, 400, "The agent can't be saved", { errorsOf: inBody })
export const agentsUnwritable = problem(AgentsUnwritable, 503, "The agents can't be written now")

// Skills
export const skillNotFound = problem(SkillNotFound, 404, "No such skill")
export const skillNameTaken = problem(SkillNameTaken, 409, "The skill's name is taken")
export const skillReadOnly = problem(SkillReadOnly, 409, "The skill is built in")
export const skillInvalid = problem(SkillInvalid, 400, "The skill can't be saved", { errorsOf: inBody })
export const skillsUnwritable = problem(SkillsUnwritable, 503, "The skills can't be written now")
export const skillModelUnavailable = problem(SkillModelUnavailable, 503, "The language model does not answer", {
  slug: "model-unavailable"
})
export const skillNotGenerated = problem(SkillNotGenerated, 502, "The language model wrote no valid skill")

// Settings
export const settingsRefused = problem(SettingsRefused, 400, "The settings can't be stored", {
  errorsOf: ({ mistakes }) => mistakes
})
export const secretsUnsealed = problem(SecretsUnsealed, 409, "Secrets can't be sealed")

// Tool servers
export const toolServerNotFound = problem(ToolServerNotFound, 404, "No such tool server")
export const toolServersInvalid = problem(ToolServersInvalid, 400, "The tool servers can't be configured", {
  errorsOf: ({ mistakes }) => mistakes
})
export const toolNotFound = problem(ToolNotFound, 404, "No such tool")
export const toolNotCallable = problem(ToolNotCallable, 409, "The tool can't be called now")
export const signInNotPossible = problem(SignInNotPossible, 409, "Nobody can sign in at the tool server now")

// Models
export const modelNotFound = problem(ModelNotFound, 404, "No such model")
export const modelInvalid = problem(ModelInvalid, 400, "The model can't be used", { errorsOf: atField })
export const modelInUse = problem(ModelInUse, 409, "The model is in use")
export const keyNotSealable = problem(KeyNotSealable, 409, "Keys can't be stored")

// Memories
export const memoryNotFound = problem(MemoryNotFound, 404, "There is no such memory")

// Files
export const fileNotFound = problem(FileNotFound, 404, "No such file")
export const filePathInvalid = problem(FilePathInvalid, 400, "The name or path of the file is not allowed", {
  errorsOf: atField
})
export const uploadInvalid = problem(UploadInvalid, 400, "The upload is not valid", { errorsOf: atField })
export const fileTypeRefused = problem(FileTypeRefused, 415, "Files of this kind are not accepted")
export const fileTooLarge = problem(FileTooLarge, 413, "Too large", { slug: "too-large" })
export const quotaExceeded = problem(QuotaExceeded, 413, "Storage quota exceeded")
export const storageUnavailable = problem(StorageUnavailable, 503, "The file storage is unavailable")

// Notifications, the outbox and subscriptions
export const notificationNotFound = problem(NotificationNotFound, 404, "No such notification")
export const outboxMessageNotFound = problem(OutboxMessageNotFound, 404, "No such message")
export const outboxMessageNotFailed = problem(OutboxMessageNotFailed, 409, "The message has not failed")
export const subscriptionNotFound = problem(SubscriptionNotFound, 404, "No such subscription")
export const subscriptionInvalid = problem(SubscriptionInvalid, 400, "The subscription can't be made", {
  errorsOf: atField
})
export const tooManySubscriptions = problem(TooManySubscriptions, 409, "Too many subscriptions")
export const subscriptionInactive = problem(SubscriptionInactive, 409, "The subscription is not active")
export const deliveryNotFound = problem(DeliveryNotFound, 404, "No such delivery")

// The team chat, schedules and webhooks
export const signatureInvalid = problem(SignatureInvalid, 401, "The signature is not valid", {
  slug: "invalid-signature"
})
export const chatRequestInvalid = problem(ChatRequestInvalid, 400, "The request of the chat platform is not valid", {
  errorsOf: inBody
})
export const scheduleNotFound = problem(ScheduleNotFound, 404, "No such schedule")
export const limitsInvalid = problem(LimitsInvalid, 400, "The spending limits are not valid", { errorsOf: atPath })
export const scheduleInvalid = problem(ScheduleInvalid, 400, "The schedule is not valid", { errorsOf: atPath })
export const scheduleEnded = problem(ScheduleEnded, 409, "The schedule has no further run")
export const tooManySchedules = problem(TooManySchedules, 409, "Too many schedules", { slug: "schedule-limit" })
export const webhookUnverified = problem(WebhookUnverified, 401, "The webhook is not signed with its type's secret")
export const webhookTypeNotFound = problem(WebhookTypeNotFound, 404, "No such type of webhooks")
export const webhookDeliveryNotFound = problem(WebhookDeliveryNotFound, 404, "No such delivery")
export const webhookDeliveryEmptied = problem(WebhookDeliveryEmptied, 409, "The body was deleted")
