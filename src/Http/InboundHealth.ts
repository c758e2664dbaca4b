import type { HealthCheck } from "@troupe/api/SystemApi"
import { plural } from "@troupe/domain/Plural"
import { chatSource } from "../Intake/Chat/ChatEvent.ts"
import type { InboundCounts } from "../Intake/InboundBacklog.ts"
import type { InboundSource } from "../Intake/InboundMessage.ts"
import { webhookSource } from "../Intake/Webhook/Webhooks.ts"

type Finding = Omit<HealthCheck, "latency_ms">

const pluralOf = (count: number, source: InboundSource) => {
  switch (source) {
    case chatSource:
      return `${plural(count, "message")} of the team chat`
    case webhookSource:
      return plural(count, "webhook")
    default:
      return `${plural(count, "message")} of ${source}`
  }
}

/** Adds what waits of some sources although it is due, and what has failed. */
export const withInbound =
  (isIncluded: (source: InboundSource) => boolean) =>
  (finding: Finding, counts: ReadonlyArray<InboundCounts>): Finding => {
    const included = counts.filter(({ source }) => isIncluded(source))
    const parts = included.flatMap(({ failed, oldestSeconds, overdue, source }) => [
      ...(overdue === 0 ? [] : [
        `${pluralOf(overdue, source)} to process, the oldest due for ${Math.round(oldestSeconds)} s: `
        + "start a worker, or see the log of the workers."
      ]),
      ...(failed === 0 ? [] : [
        `${pluralOf(failed, source)} failed: GET /webhook/deliveries?source=${source}&state=failed says why, and `
        + "POST /webhook/deliveries/{id}/replay processes one again."
      ])
    ])
    const isDegraded = finding.status === "ok" && included.some(({ overdue }) => overdue > 0)
    return {
      status: isDegraded ? "degraded" : finding.status,
      detail: [finding.detail, ...parts].join(" ")
    }
  }
