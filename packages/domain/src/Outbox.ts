import { Schema } from "effect"
import { Uuid } from "./Ids.ts"

/** A UUIDv7 (RFC 9562), so ids sort by time. What is sent has an id that follows from it. */
export const OutboxId = Uuid.pipe(Schema.brand("OutboxId")).annotations({
  description: "Id of the message: a time-sortable UUIDv7"
})
export type OutboxId = typeof OutboxId.Type

export const DeliveryChannel = Schema.Literal("chat", "email", "webhook")
export type DeliveryChannel = typeof DeliveryChannel.Type
