import { type TaskId, Uuid } from "@troupe/domain/Ids"
import { DeliverySource } from "@troupe/domain/Webhook"
import { type Duration, type Effect, Option, Schema } from "effect"

/** Its handler processes the messages; without one they stay queued, and the health report counts them. */
export const InboundSource = DeliverySource.pipe(Schema.brand("InboundSource"))
export type InboundSource = typeof InboundSource.Type

export const InboundId = Uuid.pipe(Schema.brand("InboundId"))
export type InboundId = typeof InboundId.Type

/** A message that an endpoint has verified, for the queue. */
export interface NewInboundMessage {
  readonly source: InboundSource
  /** Messages of different types are processed in turn. */
  readonly type: string
  /** The sender's id of the delivery: repeated with it, the message changes nothing. Null: the sender gives none. */
  readonly deliveryId: string | null
  /** Messages with the same key are processed one after the other, in the order of their arrival. */
  readonly orderingKey: string | null
  readonly body: Uint8Array
  /** Without secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string | null
  readonly url: string
  readonly sourceIp: string | null
  /** The platform's id of the person whose data this is, for its deletion; null: none, or unknown. */
  readonly sender: string | null
  /** False: anybody could have sent it. */
  readonly isVerified: boolean
}

export interface InboundMessage extends NewInboundMessage {
  readonly id: InboundId
  /** 1 at the first attempt. */
  readonly attempt: number
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string
}

export interface InboundOutcome {
  /** The task that the message made, or that it was for. */
  readonly taskId: TaskId | null
}

/**
 * `refused`: a later attempt fails too. `outage`: an external service is unavailable; this counts no attempt, and the
 * message waits for up to a day.
 */
export class InboundFailed extends Schema.TaggedError<InboundFailed>()("InboundFailed", {
  kind: Schema.Literal("later", "outage", "refused"),
  reason: Schema.String,
  retryAfter: Schema.OptionFromSelf(Schema.DurationFromSelf)
}) {
  override get message() {
    return this.reason
  }

  static readonly refused = (reason: string): InboundFailed =>
    new InboundFailed({ kind: "refused", reason, retryAfter: Option.none() })

  static readonly later = (reason: string, retryAfter?: Duration.Duration): InboundFailed =>
    new InboundFailed({ kind: "later", reason, retryAfter: Option.fromNullable(retryAfter) })

  static readonly outage = (reason: string, retryAfter?: Duration.Duration): InboundFailed =>
    new InboundFailed({ kind: "outage", reason, retryAfter: Option.fromNullable(retryAfter) })
}

/**
 * `prepare` may read and call external services, and is repeated after a failure. The effect that it returns runs in
 * the transaction that finishes the message, so it must not wait for external services.
 */
export interface InboundHandler<E extends { readonly message: string }, R> {
  readonly source: InboundSource
  /** How many messages of one type are processed in a minute; further ones wait. Unset: no limit. */
  readonly perMinute?: number
  /** Deletes the content of a message once it is done, where the task has it. It can't be processed again then. */
  readonly deletesContent?: boolean
  readonly prepare: (message: InboundMessage) => Effect.Effect<Effect.Effect<InboundOutcome, E, R>, E, R>
}
