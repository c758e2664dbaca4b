import { Option } from "effect"
import { type ChatFailed, isUnauthorized } from "../../Wire/ChatPlatform.ts"
import { InboundFailed } from "../InboundMessage.ts"

export const inboundFailureOf = (failed: ChatFailed): InboundFailed => {
  const retryAfter = Option.getOrUndefined(failed.retryAfter)
  if (isUnauthorized(failed)) return InboundFailed.outage(failed.reason, retryAfter)
  switch (failed.kind) {
    case "refused":
      return InboundFailed.refused(failed.reason)
    case "uncertain":
      return InboundFailed.later(failed.reason, retryAfter)
    case "rate_limited":
    case "unavailable":
    case "unconfigured":
      return InboundFailed.outage(failed.reason, retryAfter)
  }
}
