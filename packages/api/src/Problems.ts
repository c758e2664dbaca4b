import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { ChannelNotFound, ChatNotConfigured, MembershipNotFound } from "@troupe/domain/Channel"
import { MemoryNotFound } from "@troupe/domain/Memory"
import { NotificationNotFound } from "@troupe/domain/Notification"
import { OutboxMessageNotFailed, OutboxMessageNotFound } from "@troupe/domain/Outbox"
import { ScheduleEnded, ScheduleInvalid, ScheduleNotFound, TooManySchedules } from "@troupe/domain/Schedule"
import { SearchUnfinished } from "@troupe/domain/Search"
import {
  SkillInvalid,
  SkillModelUnavailable,
  SkillNameTaken,
  SkillNotFound,
  SkillNotGenerated,
  SkillReadOnly,
  SkillsUnwritable
} from "@troupe/domain/Skill"
import {
  DeliveryNotFound,
  SubscriptionInactive,
  SubscriptionInvalid,
  SubscriptionNotFound,
  TooManySubscriptions
} from "@troupe/domain/Subscription"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { AlreadyMember, MemberNotFound, OwnerNotRemovable, SeatsTaken, TeamNotFound } from "@troupe/domain/Team"
import { ChatRequestInvalid, SignatureInvalid } from "@troupe/domain/TeamChat"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { UserNotFound } from "@troupe/domain/User"
import {
  FileNotFound,
  FilePathInvalid,
  FileTooLarge,
  FileTypeRefused,
  QuotaExceeded,
  StorageUnavailable,
  UploadInvalid
} from "@troupe/domain/UserFile"
import { WebhookDeliveryEmptied, WebhookDeliveryNotFound, WebhookUnverified } from "@troupe/domain/Webhook"
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
export const unauthenticated = problem(Unauthenticated, 401, "unauthenticated", "Sign in first")
export const notAllowed = problem(NotAllowed, 403, "forbidden", "Not allowed")
/** 503 with `Retry-After`. */
export const signInUnavailable = problem(
  SignInUnavailable,
  503,
  "sign-in-unavailable",
  "The identity provider is unavailable"
)
export const alreadyMember = problem(AlreadyMember, 409, "already-member", "Already a member")
export const seatsTaken = problem(SeatsTaken, 403, "seat-limit", "No seats left")
export const memberNotFound = problem(MemberNotFound, 404, "member-not-found", "No such member")
export const ownerNotRemovable = problem(OwnerNotRemovable, 409, "owner-not-removable", "The owner stays")
export const teamNotFound = problem(TeamNotFound, 404, "not-found", "Not found")
export const userNotFound = problem(UserNotFound, 404, "user-not-found", "No such user")
export const channelNotFound = problem(ChannelNotFound, 404, "channel-not-found", "No such channel")
export const membershipNotFound = problem(
  MembershipNotFound,
  404,
  "membership-not-found",
  "No such member of the channel"
)
export const chatNotConfigured = problem(ChatNotConfigured, 409, "chat-not-configured", "Team chat is not set up")

// Tasks and searches
export const taskNotFound = problem(TaskNotFound, 404, "task-not-found", "No such task")
export const taskStateConflict = problem(
  TaskStateConflict,
  409,
  "task-state-conflict",
  "The task's state does not allow it"
)
export const idempotencyConflict = problem(
  IdempotencyConflict,
  409,
  "idempotency-conflict",
  "The idempotency key can't be used again"
)
export const taskRequestInvalid = problem(
  TaskRequestInvalid,
  400,
  "task-request-invalid",
  "The request for the task is invalid",
  atPath
)
/** The request is valid and may succeed later: 503 with `Retry-After`. */
export const searchUnfinished = problem(SearchUnfinished, 503, "search-unfinished", "The search was aborted")

// Skills
export const skillNotFound = problem(SkillNotFound, 404, "skill-not-found", "No such skill")
export const skillNameTaken = problem(SkillNameTaken, 409, "skill-name-taken", "The skill's name is taken")
export const skillReadOnly = problem(SkillReadOnly, 409, "skill-read-only", "The skill is built in")
export const skillInvalid = problem(SkillInvalid, 400, "skill-invalid", "The skill can't be saved", inBody)
export const skillsUnwritable = problem(SkillsUnwritable, 503, "skills-unwritable", "The skills can't be written now")
export const skillModelUnavailable = problem(
  SkillModelUnavailable,
  503,
  "model-unavailable",
  "The language model does not answer"
)
export const skillNotGenerated = problem(
  SkillNotGenerated,
  502,
  "skill-not-generated",
  "The language model wrote no valid skill"
)

// Tool servers
export const toolServersInvalid = problem(
  ToolServersInvalid,
  400,
  "tool-servers-invalid",
  "The tool servers can't be configured",
  ({ mistakes }) => mistakes
)

// Memories
export const memoryNotFound = problem(MemoryNotFound, 404, "memory-not-found", "There is no such memory")

// Files
export const fileNotFound = problem(FileNotFound, 404, "file-not-found", "No such file")
export const filePathInvalid = problem(
  FilePathInvalid,
  400,
  "file-path-invalid",
  "The name or path of the file is not allowed",
  atField
)
export const uploadInvalid = problem(UploadInvalid, 400, "upload-invalid", "The upload is not valid", atField)
export const fileTypeRefused = problem(FileTypeRefused, 415, "file-type-refused", "Files of this kind are not accepted")
export const fileTooLarge = problem(FileTooLarge, 413, "too-large", "Too large")
export const quotaExceeded = problem(QuotaExceeded, 413, "quota-exceeded", "Storage quota exceeded")
export const storageUnavailable = problem(
  StorageUnavailable,
  503,
  "storage-unavailable",
  "The file storage is unavailable"
)

// Notifications, the outbox and subscriptions
export const notificationNotFound = problem(NotificationNotFound, 404, "notification-not-found", "No such notification")
export const outboxMessageNotFound = problem(OutboxMessageNotFound, 404, "outbox-message-not-found", "No such message")
export const outboxMessageNotFailed = problem(
  OutboxMessageNotFailed,
  409,
  "outbox-message-not-failed",
  "The message has not failed"
)
export const subscriptionNotFound = problem(SubscriptionNotFound, 404, "subscription-not-found", "No such subscription")
export const subscriptionInvalid = problem(
  SubscriptionInvalid,
  400,
  "subscription-invalid",
  "The subscription can't be made",
  atField
)
export const tooManySubscriptions = problem(
  TooManySubscriptions,
  409,
  "too-many-subscriptions",
  "Too many subscriptions"
)
export const subscriptionInactive = problem(
  SubscriptionInactive,
  409,
  "subscription-inactive",
  "The subscription is not active"
)
export const deliveryNotFound = problem(DeliveryNotFound, 404, "delivery-not-found", "No such delivery")

// The team chat, schedules and webhooks
export const signatureInvalid = problem(SignatureInvalid, 401, "invalid-signature", "The signature is not valid")
export const chatRequestInvalid = problem(
  ChatRequestInvalid,
  400,
  "chat-request-invalid",
  "The request of the chat platform is not valid",
  inBody
)
export const scheduleNotFound = problem(ScheduleNotFound, 404, "schedule-not-found", "No such schedule")
export const scheduleInvalid = problem(ScheduleInvalid, 400, "schedule-invalid", "The schedule is not valid", atPath)
export const scheduleEnded = problem(ScheduleEnded, 409, "schedule-ended", "The schedule has no further run")
export const tooManySchedules = problem(TooManySchedules, 409, "schedule-limit", "Too many schedules")
export const webhookUnverified = problem(
  WebhookUnverified,
  401,
  "webhook-unverified",
  "The webhook is not signed with its type's secret"
)
export const webhookDeliveryNotFound = problem(
  WebhookDeliveryNotFound,
  404,
  "webhook-delivery-not-found",
  "No such delivery"
)
export const webhookDeliveryEmptied = problem(
  WebhookDeliveryEmptied,
  409,
  "webhook-delivery-emptied",
  "The body was deleted"
)
