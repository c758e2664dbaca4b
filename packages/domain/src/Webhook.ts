import { Record, Schema } from "effect"
import { boundedText } from "./BoundedText.ts"
import { recordId, TaskId } from "./Ids.ts"
import { maxCount } from "./TaskCounts.ts"
import { Timestamp } from "./Timestamp.ts"
import { WorkHealth } from "./Unattended.ts"
import { webhookSchemes } from "./WebhookScheme.ts"

const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) => schema.annotations({ description })

/** Any name is a type of webhook. */
export const WebhookType = boundedText(128)

export const WebhookDeliveryId = recordId("WebhookDeliveryId", "Delivery id: a time-sortable UUIDv7")
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type

export const WebhookReceipt = Schema.Struct({
  status: described(Schema.Literal("received"), "The webhook is committed; its task follows"),
  message_id: described(WebhookDeliveryId, "Id of the delivery; of a repeated one, the id of the first"),
  webhook_type: described(Schema.String, "The type in the path")
}).annotations({ identifier: "WebhookReceipt" })
export type WebhookReceipt = typeof WebhookReceipt.Type

const Scheme = Schema.Literal(...Record.keys(webhookSchemes))

/** A type of webhooks that is configured, or of which something was delivered. */
export const WebhookTypeView = Schema.Struct({
  type: described(Schema.String, "Its name, as in the path"),
  address: described(Schema.String, "Where senders deliver"),
  scheme: described(Scheme, "How its deliveries are signed"),
  has_secret: described(Schema.Boolean, "Whether signatures are verified"),
  agent: described(
    Schema.NullOr(Schema.String),
    "The agent of its tasks: the one that is set, or that claims the type in its file; null: the usual one"
  ),
  trusted: described(Schema.Boolean, "Whether tasks of its unsigned deliveries have all tools"),
  health: described(WorkHealth, "Whether its deliveries come, and their tasks work"),
  last_delivery_at: described(Schema.NullOr(Timestamp), "When its last delivery arrived that is still kept")
}).annotations({ identifier: "WebhookTypeSettings" })
export type WebhookTypeView = typeof WebhookTypeView.Type

export const WebhookTypeChange = Schema.partialWith(
  Schema.Struct({
    secret: described(
      Schema.NullOr(boundedText(1000)),
      "Verifies the signatures of its deliveries; null removes it, left out keeps it"
    ),
    scheme: described(Schema.NullOr(Scheme), "How they are signed; null: as usual for the type"),
    agent: described(Schema.NullOr(boundedText(100)), "The agent of its tasks; null: the usual one"),
    trusted: described(
      Schema.NullOr(Schema.Boolean),
      "Whether tasks of unsigned deliveries have all tools; null: as WEBHOOK_TRUST_UNSIGNED"
    )
  }),
  { exact: true }
).annotations({ identifier: "WebhookTypeChange" })
export type WebhookTypeChange = typeof WebhookTypeChange.Type

export class WebhookTypeNotFound extends Schema.TaggedError<WebhookTypeNotFound>()("WebhookTypeNotFound", {
  type: described(Schema.String, "The type")
}) {
  override get message() {
    return `No type ${JSON.stringify(this.type.slice(0, 100))} is configured, and nothing of it was delivered.`
  }
}

export const WebhookQueueStats = Schema.Struct({
  pending: described(Schema.Int, `Deliveries that wait for a worker, or for their next attempt, up to ${maxCount}`),
  processing: described(Schema.Int, `Deliveries that a worker makes a task of, up to ${maxCount}`),
  failed: described(Schema.Int, `Deliveries that failed five times, or can't become a task, up to ${maxCount}`)
}).annotations({ identifier: "WebhookQueueStats" })
export type WebhookQueueStats = typeof WebhookQueueStats.Type

export const FailedWebhook = Schema.Struct({
  id: described(WebhookDeliveryId, "Id of the delivery"),
  error: described(Schema.String, "Why it failed the last time"),
  timestamp: described(Timestamp, "When it failed")
}).annotations({ identifier: "FailedWebhook" })

export const WebhookDeliveryState = Schema.Literal("pending", "processing", "failed", "done")

/** The name of a source. */
export const DeliverySource = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(64))

export const WebhookDelivery = Schema.Struct({
  id: described(WebhookDeliveryId, "Id of the delivery"),
  source: described(
    DeliverySource,
    "The source: webhook, chat (an event of the team chat), or the name of another source"
  ),
  webhook_type: described(Schema.String, "The type in the path; of chat, the type of the event"),
  delivery_id: described(Schema.NullOr(Schema.String), "The sender's id of the delivery"),
  state: described(WebhookDeliveryState, "pending, processing, failed or done"),
  attempts: described(Schema.Int, "Attempts to process it"),
  error: described(Schema.NullOr(Schema.String), "Why the last attempt failed"),
  task_id: described(Schema.NullOr(TaskId), "The task it became"),
  content_type: described(Schema.NullOr(Schema.String), "Content type of the body"),
  size: described(
    Schema.NullOr(Schema.Int),
    "Bytes of the body; null once it was deleted: with its task, of chat when it is done"
  ),
  beginning: described(
    Schema.NullOr(Schema.String),
    "The beginning of the body; null if it is no text, once it was deleted, and of sources other than webhook"
  ),
  verified: described(
    Schema.Boolean,
    "Whether its sender is known, by a signature, a token or this machine; else its task has tools that only read"
  ),
  source_ip: described(Schema.NullOr(Schema.String), "Where it came from"),
  received_at: described(Timestamp, "When it arrived"),
  next_attempt_at: described(Schema.NullOr(Timestamp), "When it is processed next, while it is pending"),
  ended_at: described(Schema.NullOr(Timestamp), "When it became a task, or failed")
}).annotations({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

export const WebhookDeliveryContent = Schema.Struct({
  ...WebhookDelivery.fields,
  url: described(Schema.String, "Path and query; secrets are redacted"),
  headers: described(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "Headers by their lower-case names; secrets are redacted"
  ),
  payload: described(
    Schema.NullOr(Schema.Unknown),
    "The body: JSON as it is, the fields of a form, other text under raw_body. null once it was deleted, and of sources "
      + "other than webhook"
  )
}).annotations({ identifier: "WebhookDeliveryContent" })
export type WebhookDeliveryContent = typeof WebhookDeliveryContent.Type

/** The type has a secret, and the request is not signed with it. */
export class WebhookUnverified extends Schema.TaggedError<WebhookUnverified>()("WebhookUnverified", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export class WebhookDeliveryNotFound extends Schema.TaggedError<WebhookDeliveryNotFound>()("WebhookDeliveryNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no webhook delivery ${this.id}. Processed ones are deleted after WEBHOOK_RETENTION_DAYS.`
  }
}

/** The body was deleted: with the delivery's task, or because it is chat and done. */
export class WebhookDeliveryEmptied extends Schema.TaggedError<WebhookDeliveryEmptied>()("WebhookDeliveryEmptied", {
  id: Schema.String
}) {
  override get message() {
    return `The body of webhook delivery ${this.id} was deleted, so it can't be processed again.`
  }
}
