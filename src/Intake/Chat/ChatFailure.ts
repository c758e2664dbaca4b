import { type ChatFailed, isUnauthorized } from "../../Wire/ChatPlatform.ts"
import { InboundFailed } from "../InboundMessage.ts"

const kinds = {
  refused: "refused",
  uncertain: "later",
  rate_limited: "outage",
  unavailable: "outage",
  unconfigured: "outage"
} as const

export const inboundFailureOf = (failed: ChatFailed): InboundFailed =>
  new InboundFailed({
    kind: isUnauthorized(failed) ? "outage" : kinds[failed.kind],
    reason: failed.reason,
    retryAfter: failed.retryAfter
  })
