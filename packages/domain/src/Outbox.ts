import { Schema } from "effect"
import { deliveryChannels, notifyWays } from "./DeliveryWay.ts"
import { recordId, TaskId, UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

/** Ids at the receiver (such as a Message-ID) are derived from it, so a repeated delivery has the same id. */
export const OutboxId = recordId("OutboxId", "Id of the message: a time-sortable UUIDv7")
export type OutboxId = typeof OutboxId.Type

export const isOutboxId = Schema.is(OutboxId)

export const DeliveryChannel = Schema.Literal(...deliveryChannels)
export type DeliveryChannel = typeof DeliveryChannel.Type

/** The names in a sentence. */
const oneOf = (names: ReadonlyArray<string>) => names.join(", ").replace(/, (?=[^,]+$)/, " or ")

export const OutboxState = Schema.Literal("pending", "sending", "sent", "failed")
export type OutboxState = typeof OutboxState.Type

const attempts = Schema.Int.annotations({ description: "Attempts so far" })
const lastError = Schema.NullOr(Schema.String).annotations({
  description: "Why the last attempt failed, or which recipients of a sent message were refused"
})
const sentAt = Schema.NullOr(Timestamp).annotations({ description: "When it was sent" })

/** The state of a notification on a channel beside the feed. */
export const Delivery = Schema.Struct({
  channel: DeliveryChannel.annotations({ description: oneOf(notifyWays) }),
  state: Schema.Literal("pending", "sent", "failed").annotations({
    description: "failed: it is not tried again, unless an operator retries it"
  }),
  attempts,
  last_error: lastError,
  sent_at: sentAt
}).annotations({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

/** An outgoing message. */
export const OutboxMessage = Schema.Struct({
  id: OutboxId,
  channel: DeliveryChannel.annotations({ description: oneOf(deliveryChannels) }),
  recipient: Schema.String.annotations({ description: "To whom; messages to one recipient leave in their order" }),
  kind: Schema.String.annotations({ description: "What it is: notification, mail, invitation, ..." }),
  user_id: Schema.NullOr(UserId).annotations({ description: "The user whose message it is" }),
  task_id: Schema.NullOr(TaskId).annotations({ description: "The task that caused it" }),
  notification_id: Schema.NullOr(Schema.String).annotations({ description: "The notification that it delivers" }),
  state: OutboxState.annotations({
    description: "failed: a dead letter, which is not retried automatically"
  }),
  attempts,
  next_attempt_at: Schema.NullOr(Timestamp).annotations({ description: "When it is due, if it is pending" }),
  last_error: lastError,
  created_at: Timestamp.annotations({ description: "When it was written" }),
  sent_at: sentAt
}).annotations({ identifier: "OutboxMessage" })
export type OutboxMessage = typeof OutboxMessage.Type

export class OutboxMessageNotFound extends Schema.TaggedError<OutboxMessageNotFound>()("OutboxMessageNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no message ${this.id} in the outbox.`
  }
}

export class OutboxMessageNotFailed extends Schema.TaggedError<OutboxMessageNotFailed>()("OutboxMessageNotFailed", {
  id: OutboxId,
  state: OutboxState.annotations({ description: "Its state" })
}) {
  override get message() {
    return `Message ${this.id} is ${this.state}. Only a failed one can be retried.`
  }
}
