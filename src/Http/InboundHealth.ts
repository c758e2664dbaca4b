import type { HealthCheck } from "@troupe/api/SystemApi"
import { plural } from "@troupe/domain/Plural"
import type { InboundCounts } from "../Intake/InboundBacklog.ts"
import type { InboundSource } from "../Intake/InboundMessage.ts"

type Finding = Omit<HealthCheck, "latency_ms">

const pluralOf = (count: number, source: InboundSource) =>
  source === "chat" ? `${plural(count, "message")} of the team chat` : plural(count, "webhook")

/** Adds what waits of a source although it is due, and what has failed. */
export const withInbound =
  (source: InboundSource) => (finding: Finding, counts: ReadonlyArray<InboundCounts>): Finding => {
    const found = counts.find((one) => one.source === source)
    if (found === undefined) return finding
    const { failed, oldestSeconds, overdue } = found
    const parts = [
      ...(overdue === 0 ? [] : [
        `${pluralOf(overdue, source)} to process, the oldest due for ${Math.round(oldestSeconds)} s: `
        + "start a worker, or see the log of the workers."
      ]),
      ...(failed === 0 ? [] : [
        `${pluralOf(failed, source)} failed: GET /webhook/deliveries?source=${source}&state=failed says why, and `
        + "POST /webhook/deliveries/{id}/replay processes one again."
      ])
    ]
    return {
      status: finding.status === "ok" && overdue > 0 ? "degraded" : finding.status,
      detail: [finding.detail, ...parts].join(" ")
    }
  }
