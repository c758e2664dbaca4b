import { Schema, Struct } from "effect"
import { recordId, TaskId, UserId } from "./Ids.ts"
import { OutboxId } from "./Outbox.ts"
import { Task, type TaskStatus } from "./Task.ts"
import { Timestamp } from "./Timestamp.ts"

export const SubscriptionId = recordId("SubscriptionId", "Subscription id: a time-sortable UUIDv7")
export type SubscriptionId = typeof SubscriptionId.Type

/** What a subscription may ask for. A subtask has no events. */
export const SubscriptionEvent = Schema.Literal(
  "task.created",
  "task.started",
  "task.waiting",
  "task.resumed",
  "task.completed",
  "task.failed",
  "task.archived"
)
export type SubscriptionEvent = typeof SubscriptionEvent.Type

/** The event for a change of a task's status, or null. Statements that change a status know both the old and the new one. */
export const eventOfChange = (from: TaskStatus, to: TaskStatus): SubscriptionEvent | null => {
  if (from === to) return null
  switch (to) {
    case "running":
      return from === "pending" ? "task.started" : from === "waiting_input" ? "task.resumed" : null
    case "waiting_input":
      return "task.waiting"
    case "completed":
      return "task.completed"
    case "failed":
      return "task.failed"
    default:
      return null
  }
}

/** The event of `POST /api/subscriptions/{id}/test`, which every subscription gets. */
export const testEvent = "subscription.test"

const DeliveredEvent = Schema.Literal(...SubscriptionEvent.literals, testEvent)
export type DeliveredEvent = typeof DeliveredEvent.Type

/** `own`: the tasks that the user created or is the assignee of. */
export const SubscriptionScope = Schema.Literal("own", "all")
export type SubscriptionScope = typeof SubscriptionScope.Type

export const SubscriptionDelivery = Schema.Struct({
  id: OutboxId.annotations({ description: "Delivery id, and the webhook-id of its requests" }),
  event: DeliveredEvent.annotations({ description: "What happened" }),
  task_id: Schema.NullOr(TaskId).annotations({ description: "To which task; null for a test" }),
  state: Schema.Literal("pending", "sent", "failed").annotations({
    description: "pending: not accepted yet; failed: not retried any more, only a replay sends it"
  }),
  attempts: Schema.Int.annotations({ description: "Requests so far, since the last replay" }),
  last_error: Schema.NullOr(Schema.String).annotations({ description: "Why the last request failed" }),
  created_at: Timestamp.annotations({ description: "When it was queued" }),
  sent_at: Schema.NullOr(Timestamp).annotations({ description: "When the receiver accepted it" })
}).annotations({ identifier: "SubscriptionDelivery" })
export type SubscriptionDelivery = typeof SubscriptionDelivery.Type

const fields = {
  id: SubscriptionId,
  user_id: UserId.annotations({ description: "The user to whom it belongs" }),
  url: Schema.String.annotations({ description: "Where the events are posted" }),
  events: Schema.Array(SubscriptionEvent).annotations({ description: "The events that are posted" }),
  tasks: SubscriptionScope.annotations({
    description: "own: of tasks that the user created or is the assignee of. all: of every task"
  }),
  active: Schema.Boolean.annotations({ description: "false: nothing is posted until it is resumed" }),
  disabled_reason: Schema.NullOr(Schema.String).annotations({ description: "Why it is not active" }),
  created_at: Timestamp
}

export const Subscription = Schema.Struct({
  ...fields,
  last_delivery: Schema.NullOr(SubscriptionDelivery).annotations({ description: "The newest event, if any" }),
  oldest_pending_at: Schema.NullOr(Timestamp).annotations({
    description: "When the oldest event was queued that the receiver has not accepted yet; null: there is none"
  })
}).annotations({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

export const CreatedSubscription = Schema.Struct({
  ...Subscription.fields,
  secret: Schema.String.annotations({
    description: "Verifies the signatures (Standard Webhooks). Store it: it is not shown again"
  })
}).annotations({ identifier: "CreatedSubscription" })
export type CreatedSubscription = typeof CreatedSubscription.Type

/** The task of an event, as it was then; `result` and `files` with `task.completed`, `error` with `task.failed`. */
export const EventTask = Schema.Struct({
  ...Struct.pick(
    Task.fields,
    "id",
    "title",
    "status",
    "creator",
    "assignee",
    "source",
    "webhook_type",
    "project_id",
    "continued_from",
    "created_at",
    "question",
    "choices"
  ),
  result: Schema.NullOr(Schema.String),
  error: Task.fields.error,
  ended_by: Task.fields.ended_by,
  files: Schema.Array(Schema.String)
})
export type EventTask = typeof EventTask.Type

export const maxSubscriptions = 20
export const maxUrlLength = 2_048

/** Signing secrets of Standard Webhooks: 24 to 64 bytes in base64. */
export const SigningSecret = Schema.String.pipe(
  Schema.pattern(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
)

export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no subscription ${this.id}.`
  }
}

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  subscription_id: Schema.String.annotations({ description: "The subscription" }),
  id: Schema.String
}) {
  override get message() {
    return `Subscription ${this.subscription_id} has no delivery ${this.id}.`
  }
}

export class SubscriptionInvalid extends Schema.TaggedError<SubscriptionInvalid>()("SubscriptionInvalid", {
  field: Schema.String.annotations({ description: "The field of the request that is wrong" }),
  reason: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.reason}`
  }
}

export class TooManySubscriptions extends Schema.TaggedError<TooManySubscriptions>()("TooManySubscriptions", {
  user_id: Schema.String
}) {
  override get message() {
    return `User ${this.user_id} has ${maxSubscriptions} subscriptions, which is the maximum. Delete one first.`
  }
}

/** What a subscription that is not active does not do. */
export class SubscriptionInactive extends Schema.TaggedError<SubscriptionInactive>()("SubscriptionInactive", {
  id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Subscription ${this.id} is not active: ${this.reason} Resume it first.`
  }
}
