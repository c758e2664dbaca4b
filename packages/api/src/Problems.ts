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
import { problem } from "./Problem.ts"

/** The domain errors of the HTTP interface, each with its problem. */
export const unauthenticated = problem(Unauthenticated, {
  slug: "unauthenticated",
  status: 401,
  title: "Sign in first"
})

export const notAllowed = problem(NotAllowed, { slug: "forbidden", status: 403, title: "Not allowed" })

/** 503 with `Retry-After`. */
export const signInUnavailable = problem(SignInUnavailable, {
  slug: "sign-in-unavailable",
  status: 503,
  title: "The identity provider is unavailable"
})

export const signatureInvalid = problem(SignatureInvalid, {
  slug: "invalid-signature",
  status: 401,
  title: "The signature is not valid"
})

export const chatRequestInvalid = problem(ChatRequestInvalid, {
  slug: "chat-request-invalid",
  status: 400,
  title: "The request of the chat platform is not valid",
  errors: ({ reason }) => [{ path: "", message: reason }]
})

export const alreadyMember = problem(AlreadyMember, {
  slug: "already-member",
  status: 409,
  title: "Already a member"
})

export const seatsTaken = problem(SeatsTaken, { slug: "seat-limit", status: 403, title: "No seats left" })

export const memberNotFound = problem(MemberNotFound, {
  slug: "member-not-found",
  status: 404,
  title: "No such member"
})

export const ownerNotRemovable = problem(OwnerNotRemovable, {
  slug: "owner-not-removable",
  status: 409,
  title: "The owner stays"
})

export const teamNotFound = problem(TeamNotFound, { slug: "not-found", status: 404, title: "Not found" })

export const taskNotFound = problem(TaskNotFound, {
  slug: "task-not-found",
  status: 404,
  title: "No such task"
})

export const taskStateConflict = problem(TaskStateConflict, {
  slug: "task-state-conflict",
  status: 409,
  title: "The task's state does not allow it"
})

export const idempotencyConflict = problem(IdempotencyConflict, {
  slug: "idempotency-conflict",
  status: 409,
  title: "The idempotency key can't be used again"
})

export const taskRequestInvalid = problem(TaskRequestInvalid, {
  slug: "task-request-invalid",
  status: 400,
  title: "The request for the task is invalid",
  errors: ({ path, reason }) => [{ path, message: reason }]
})

/** The request is valid and may succeed later: 503 with `Retry-After`. */
export const searchUnfinished = problem(SearchUnfinished, {
  slug: "search-unfinished",
  status: 503,
  title: "The search was aborted"
})

export const skillNotFound = problem(SkillNotFound, { slug: "skill-not-found", status: 404, title: "No such skill" })

export const skillNameTaken = problem(SkillNameTaken, {
  slug: "skill-name-taken",
  status: 409,
  title: "The skill's name is taken"
})

export const skillReadOnly = problem(SkillReadOnly, {
  slug: "skill-read-only",
  status: 409,
  title: "The skill is built in"
})

export const skillInvalid = problem(SkillInvalid, {
  slug: "skill-invalid",
  status: 400,
  title: "The skill can't be saved",
  errors: ({ reason }) => [{ path: "", message: reason }]
})

export const skillsUnwritable = problem(SkillsUnwritable, {
  slug: "skills-unwritable",
  status: 503,
  title: "The skills can't be written now"
})

export const skillModelUnavailable = problem(SkillModelUnavailable, {
  slug: "model-unavailable",
  status: 503,
  title: "The language model does not answer"
})

export const skillNotGenerated = problem(SkillNotGenerated, {
  slug: "skill-not-generated",
  status: 502,
  title: "The language model wrote no valid skill"
})

export const toolServersInvalid = problem(ToolServersInvalid, {
  slug: "tool-servers-invalid",
  status: 400,
  title: "The tool servers can't be configured",
  errors: ({ mistakes }) => mistakes
})

export const userNotFound = problem(UserNotFound, {
  slug: "user-not-found",
  status: 404,
  title: "No such user"
})

export const channelNotFound = problem(ChannelNotFound, {
  slug: "channel-not-found",
  status: 404,
  title: "No such channel"
})

export const membershipNotFound = problem(MembershipNotFound, {
  slug: "membership-not-found",
  status: 404,
  title: "No such member of the channel"
})

export const chatNotConfigured = problem(ChatNotConfigured, {
  slug: "chat-not-configured",
  status: 409,
  title: "Team chat is not set up"
})

export const memoryNotFound = problem(MemoryNotFound, {
  slug: "memory-not-found",
  status: 404,
  title: "There is no such memory"
})

export const outboxMessageNotFound = problem(OutboxMessageNotFound, {
  slug: "outbox-message-not-found",
  status: 404,
  title: "No such message"
})

export const outboxMessageNotFailed = problem(OutboxMessageNotFailed, {
  slug: "outbox-message-not-failed",
  status: 409,
  title: "The message has not failed"
})

export const notificationNotFound = problem(NotificationNotFound, {
  slug: "notification-not-found",
  status: 404,
  title: "No such notification"
})

export const fileNotFound = problem(FileNotFound, { slug: "file-not-found", status: 404, title: "No such file" })

export const filePathInvalid = problem(FilePathInvalid, {
  slug: "file-path-invalid",
  status: 400,
  title: "The name or path of the file is not allowed",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const uploadInvalid = problem(UploadInvalid, {
  slug: "upload-invalid",
  status: 400,
  title: "The upload is not valid",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const fileTypeRefused = problem(FileTypeRefused, {
  slug: "file-type-refused",
  status: 415,
  title: "Files of this kind are not accepted"
})

export const fileTooLarge = problem(FileTooLarge, { slug: "too-large", status: 413, title: "Too large" })

export const quotaExceeded = problem(QuotaExceeded, {
  slug: "quota-exceeded",
  status: 413,
  title: "Storage quota exceeded"
})

export const storageUnavailable = problem(StorageUnavailable, {
  slug: "storage-unavailable",
  status: 503,
  title: "The file storage is unavailable"
})

export const scheduleNotFound = problem(ScheduleNotFound, {
  slug: "schedule-not-found",
  status: 404,
  title: "No such schedule"
})

export const scheduleInvalid = problem(ScheduleInvalid, {
  slug: "schedule-invalid",
  status: 400,
  title: "The schedule is not valid",
  errors: ({ path, reason }) => [{ path, message: reason }]
})

export const scheduleEnded = problem(ScheduleEnded, {
  slug: "schedule-ended",
  status: 409,
  title: "The schedule has no further run"
})

export const tooManySchedules = problem(TooManySchedules, {
  slug: "schedule-limit",
  status: 409,
  title: "Too many schedules"
})

export const webhookUnverified = problem(WebhookUnverified, {
  slug: "webhook-unverified",
  status: 401,
  title: "The webhook is not signed with its type's secret"
})

export const webhookDeliveryNotFound = problem(WebhookDeliveryNotFound, {
  slug: "webhook-delivery-not-found",
  status: 404,
  title: "No such delivery"
})

export const webhookDeliveryEmptied = problem(WebhookDeliveryEmptied, {
  slug: "webhook-delivery-emptied",
  status: 409,
  title: "The body was deleted"
})

export const subscriptionNotFound = problem(SubscriptionNotFound, {
  slug: "subscription-not-found",
  status: 404,
  title: "No such subscription"
})

export const subscriptionInvalid = problem(SubscriptionInvalid, {
  slug: "subscription-invalid",
  status: 400,
  title: "The subscription can't be made",
  errors: ({ field, reason }) => [{ path: field, message: reason }]
})

export const tooManySubscriptions = problem(TooManySubscriptions, {
  slug: "too-many-subscriptions",
  status: 409,
  title: "Too many subscriptions"
})

export const subscriptionInactive = problem(SubscriptionInactive, {
  slug: "subscription-inactive",
  status: 409,
  title: "The subscription is not active"
})

export const deliveryNotFound = problem(DeliveryNotFound, {
  slug: "delivery-not-found",
  status: 404,
  title: "No such delivery"
})
