import { Effect } from "effect"
import type { OutboxChannel } from "../../src/Delivery/OutboxChannel.ts"

/** A channel that says what happened to it, and does what the test says. */
export const channelThat = (deliver: OutboxChannel["deliver"]) => Effect.succeed({ channel: "email" as const, deliver })
