import { Effect } from "effect"
import type { Delivered, DeliveryFailed, OutboxMessage } from "../../src/Delivery/OutboxChannel.ts"

export const fine: Delivered = { remark: null }

/** A channel that says what happened to it, and does what the test says. */
export const channelThat = (
  deliver: (message: OutboxMessage, handedOver: Effect.Effect<void, DeliveryFailed>) => Effect.Effect<
    Delivered,
    DeliveryFailed
  >
) => Effect.succeed({ channel: "email" as const, deliver })
