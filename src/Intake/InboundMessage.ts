import { type TaskId, UserId, Uuid } from "@troupe/domain/Ids"
import { DeliverySource } from "@troupe/domain/Webhook"
import { type Effect, Schema } from "effect"
import type { QueueTable } from "../Queue/QueueTable.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"

/** Its handler processes the messages; without one they stay queued, and the health report counts them. */
export const InboundSource = DeliverySource.pipe(Schema.brand("InboundSource"))
export type InboundSource = typeof InboundSource.Type

export const InboundId = Uuid.pipe(Schema.brand("InboundId"))
export type InboundId = typeof InboundId.Type

export const InboundMessage = Schema.Struct({
  id: InboundId,
  source: InboundSource,
  /** Messages of different types are processed in turn. */
  type: Schema.String,
  /** The sender's id of the delivery: repeated with it, the message changes nothing. Null: the sender gives none. */
  deliveryId: Schema.NullOr(Schema.String),
  /** Messages with the same key are processed one after the other, in the order of their arrival. */
  orderingKey: Schema.NullOr(Schema.String),
  body: Schema.Uint8ArrayFromSelf,
  /** Without secrets. */
  headers: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  contentType: Schema.NullOr(Schema.String),
  url: Schema.String,
  sourceIp: Schema.NullOr(Schema.String),
  /** The platform's id of the person whose data this is, for its deletion; null: none, or unknown. */
  sender: Schema.NullOr(Schema.String),
  /** The member who has sent it with a token, and whose task it becomes; null: nobody has signed in. */
  creator: Schema.NullOr(UserId),
  /** False: anybody could have sent it. */
  isVerified: Schema.Boolean,
  /** 1 at the first attempt. */
  attempt: Schema.Int,
  /** ISO 8601 UTC with milliseconds. */
  receivedAt: Schema.String
})
export type InboundMessage = typeof InboundMessage.Type

export const inboundColumns =
  `id::text, source, type, delivery_id as "deliveryId", ordering_key as "orderingKey", body, headers,
  content_type as "contentType", url, source_ip as "sourceIp", sender, creator, is_verified as "isVerified",
  attempts::integer as attempt, ${timestamp("received_at", "\"receivedAt\"")}`

export const inboundTable: QueueTable = {
  name: "inbound_messages",
  queue: "source",
  claimed: "processing",
  done: "done",
  since: "received_at",
  lane: "ordering_key",
  position: "position",
  group: "type",
  handsOver: false,
  columns: "m.type",
  onDone: {
    parameters: ["task", "keepsContent"],
    set: `task_id = $task::uuid, body = case when $keepsContent::boolean then m.body end,
  ordering_key = case when $keepsContent::boolean then m.ordering_key end, sender = null`
  }
}

/** A message that an endpoint has verified, for the queue. */
export type NewInboundMessage = Omit<InboundMessage, "attempt" | "id" | "receivedAt">

export interface InboundOutcome {
  /** The task that the message made, or that it was for. */
  readonly taskId: TaskId | null
}

export const noTask: InboundOutcome = { taskId: null }

/**
 * `prepare` may read and call external services, and is repeated after a failure. The effect that it returns runs in
 * the transaction that finishes the message, so it must not wait for external services.
 */
export interface InboundHandler<E extends { readonly message: string }, R> {
  readonly source: InboundSource
  /** How many messages of one type are processed in a minute; further ones wait. Unset or 0: no limit. */
  readonly perMinute?: () => number
  /** Deletes the content of a message once it is done, where the task has it. It can't be processed again then. */
  readonly deletesContent?: boolean
  readonly prepare: (message: InboundMessage) => Effect.Effect<Effect.Effect<InboundOutcome, E, R>, E, R>
}
