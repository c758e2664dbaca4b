import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { type ChatFailed, isUnauthorized } from "../../Wire/ChatPlatform.ts"

const kinds = {
  refused: "refused",
  uncertain: "later",
  rate_limited: "outage",
  unavailable: "outage",
  unconfigured: "outage"
} as const

export const inboundFailureOf = (failed: ChatFailed): AttemptFailed =>
  AttemptFailed.as(isUnauthorized(failed) ? "outage" : kinds[failed.kind], failed.reason, failed.retryAfter)
