import { Effect } from "effect"
import { makeOutboxQueue } from "../../src/Delivery/OutboxStream.ts"
import { type ClaimOptions, firstPosition } from "../../src/Queue/Queue.ts"

export const claimOptions: ClaimOptions = {
  limit: 60,
  limitOfLane: 4,
  lease: "20 seconds",
  maxAttempts: 3,
  firstDelay: "15 seconds",
  from: firstPosition
}

/** Claims messages of the outbox. */
export const claimOf = (channel: string, options: Partial<ClaimOptions> = {}) =>
  Effect.flatMap(makeOutboxQueue, ({ queue }) => queue.claim(channel, { ...claimOptions, ...options }))
