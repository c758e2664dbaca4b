import type { HealthCheck } from "@troupe/api/SystemApi"
import type { DeliveryChannel } from "@troupe/domain/Outbox"
import { plural } from "@troupe/domain/Plural"
import type { OutboxCounts } from "../Delivery/OutboxOperations.ts"

type Finding = Omit<HealthCheck, "latency_ms">

/** A server that responds may still not accept messages; old ones in the queue show it. */
export const withWaiting =
  (channel: DeliveryChannel) => (finding: Finding, counts: ReadonlyArray<OutboxCounts>): Finding => {
    const found = counts.find((one) => one.channel === channel)
    if (found === undefined) return finding
    const { failed, oldestSeconds, waiting } = found
    const parts = [
      ...(waiting === 0
        ? []
        : [`${plural(waiting, "message")} to send, the oldest for ${Math.round(oldestSeconds)} s.`]),
      ...(failed === 0 ? [] : [`${plural(failed, "message")} not delivered: GET /api/outbox?state=failed says why.`])
    ]
    return {
      status: finding.status === "ok" && oldestSeconds > maxWaitSeconds ? "degraded" : finding.status,
      detail: [finding.detail, ...parts].join(" ")
    }
  }

/** Servers that delay mail of unknown senders (greylisting) accept it after some minutes. */
const maxWaitSeconds = 1_800
