import type { ModelsReport } from "@troupe/api/ModelsApi"
import type { HealthCheck } from "@troupe/api/SystemApi"
import type { ToolServersReport } from "@troupe/api/ToolServersApi"
import { inboxJob, type WorkerHealthReport } from "@troupe/api/Worker"
import { deliveryChannels, healthPartOf } from "@troupe/domain/DeliveryWay"
import type { ModelStatus } from "@troupe/domain/LanguageModel"
import { counted } from "@troupe/domain/TaskCounts"
import { plural } from "@troupe/domain/Text"
import { DateTime } from "effect"
import { chatSource } from "../Intake/Chat/StoredEvents.ts"
import { webhookSource } from "../Intake/Webhook/Webhooks.ts"
import type { EmbeddingCall } from "../Model/Embeddings.ts"
import { countsOf, type QueueCounts } from "../Queue/QueueBacklog.ts"
import { settingUp } from "../Runtime/Settings/ModelProviders.ts"

export type HealthFinding = Omit<HealthCheck, "latency_ms">

export const ok = (detail: string): HealthFinding => ({ status: "ok", detail })
export const degraded = (detail: string): HealthFinding => ({ status: "degraded", detail })
export const down = (detail: string): HealthFinding => ({ status: "down", detail })
export const notConfigured = (detail: string): HealthFinding => ({ status: "not_configured", detail })

/** The service works without a model as far as it can, so it is not degraded. */
export const offlineFinding = notConfigured(
  "No model is set up. The built-in offline model answers: it does not understand language, and only runs lines such as "
    + `use list_directory {}. Connect a model in the console (Models), or set ${settingUp}.`
)

/** Beside the default model, what the last calls of the others showed; a fallback that fails is a fault. */
export const withOtherModels = (
  finding: HealthFinding,
  { default: first, fallbacks, models }: ModelsReport
): HealthFinding => {
  const others = models.filter(({ name, provider }) => name !== first && provider !== "offline")
  const isBroken = others.some(({ name, status }) => fallbacks.includes(name) && !works.has(status))
  return extended(
    finding,
    others.map(({ detail, model, name, status }) =>
      `${name} (${model}${fallbacks.includes(name) ? ", fallback" : ""}): ${status.replace("_", " ")}. ${detail}`
    ),
    isBroken
  )
}

const works: ReadonlySet<ModelStatus> = new Set(["answers", "untested"])

const extended = (finding: HealthFinding, details: ReadonlyArray<string>, isDegraded: boolean): HealthFinding => ({
  status: finding.status === "ok" && isDegraded ? "degraded" : finding.status,
  detail: [finding.detail, ...details].join(" ")
})

export const withProblems = (finding: HealthFinding, problems: ReadonlyArray<string>): HealthFinding =>
  extended(finding, problems, problems.length > 0)

/** Servers that delay mail of unknown senders (greylisting) accept it after some minutes. */
const maxWaitSeconds = 1_800

/** A server that responds may still not accept messages; old ones in the queue show it. */
export const withWaiting =
  (part: "chat" | "mail" | "workers") => (finding: HealthFinding, counts: ReadonlyArray<QueueCounts>): HealthFinding =>
    deliveryChannels.filter((channel) => healthPartOf(channel) === part).reduce((found, channel) => {
      const { failed, oldestSeconds, unfinished: waiting } = countsOf(channel, counts)
      // A part that is a channel's own does not name it.
      const message = part === "workers" ? `message by ${channel}` : "message"
      const parts = [
        ...(waiting === 0
          ? []
          : [`${counted(waiting, message)} to send, the oldest for ${Math.round(oldestSeconds)} s.`]),
        ...(failed === 0 ? [] : [`${counted(failed, message)} not delivered: GET /api/outbox?state=failed says why.`])
      ]
      return extended(found, parts, oldestSeconds > maxWaitSeconds)
    }, finding)

const pluralOf = (count: number, source: string) => {
  switch (source) {
    case chatSource:
      return `${counted(count, "message")} of the team chat`
    case webhookSource:
      return counted(count, "webhook")
    default:
      return `${counted(count, "message")} of ${source}`
  }
}

/** Adds what waits of some sources although it is due, and what has failed. */
export const withInbound =
  (isIncluded: (source: string) => boolean) =>
  (finding: HealthFinding, counts: ReadonlyArray<QueueCounts>): HealthFinding => {
    const included = counts.filter(({ queue }) => isIncluded(queue))
    const parts = included.flatMap(({ failed, overdue, overdueSeconds, queue: source }) => [
      ...(overdue === 0 ? [] : [
        `${pluralOf(overdue, source)} to process, the oldest due for ${Math.round(overdueSeconds)} s: `
        + "start a worker, or see the log of the workers."
      ]),
      ...(failed === 0 ? [] : [
        `${pluralOf(failed, source)} failed: GET /webhook/deliveries?source=${source}&state=failed says why, and `
        + "POST /webhook/deliveries/{id}/replay processes one again."
      ])
    ])
    return extended(finding, parts, included.some(({ overdue }) => overdue > 0))
  }

export const inboxFinding = ({ scheduled_jobs }: Pick<WorkerHealthReport, "scheduled_jobs">): HealthFinding => {
  const job = scheduled_jobs.find(({ name }) => name === inboxJob)
  if (job === undefined || job.last_run_at === null) {
    return ok("The inbox has not been read yet; a worker with the IMAP_ settings reads it.")
  }
  return job.last_error === null
    ? ok(`The inbox was last read at ${job.last_run_at}.`)
    : degraded(`Reading the inbox failed at ${job.last_run_at}: ${job.last_error}`)
}

/** Combines the findings of sending and of reading mail: the worse one, of those that are set up. */
export const mailFinding = (sending: HealthFinding, reading: HealthFinding): HealthFinding => {
  const isEither = (status: HealthFinding["status"]) => sending.status === status || reading.status === status
  return {
    status: isEither("down") ? "down" : isEither("degraded") ? "degraded" : isEither("ok") ? "ok" : "not_configured",
    detail: `${sending.detail} ${reading.detail}`
  }
}

/** Reports the last call, because a call as a check would cost money. */
export const embeddingsFinding = (model: string, call: EmbeddingCall | null): HealthFinding => {
  if (call === null) return ok(`${model}, not called by this process yet.`)
  const when = DateTime.formatIso(call.at)
  return call.failure === null
    ? ok(`${model} answered this process last at ${when}.`)
    : degraded(`The last call of ${model}, at ${when}, failed: ${call.failure.message}`)
}

export const workersFinding = ({ pending_jobs, runners, status }: WorkerHealthReport): HealthFinding => {
  if (status === "down") return down("No live worker: start one with npm start -- worker.")
  const detail = `${plural(runners.length, "worker")}, ${counted(pending_jobs, "task")} due.`
  return status === "healthy" ? ok(detail) : degraded(
    `${detail} A task has waited for more than 30 s, a heartbeat is late, or a job failed: GET /worker/health shows which.`
  )
}

export const toolServersFinding = (report: ToolServersReport): HealthFinding => {
  const { connected_servers, servers, total_servers, total_tools } = report
  if (total_servers === 0) {
    return notConfigured("Configure tool servers by POST /api/mcp/configure or MCP_CONFIG_FILE.")
  }
  const unconnected = servers.filter(({ status }) => status === "failed" || status === "connecting")
  return unconnected.length === 0
    ? ok(`${connected_servers} connected, with ${plural(total_tools, "tool")}.`)
    : degraded(`Not connected: ${unconnected.map(({ name }) => name).join(", ")}. GET /api/mcp/status says why.`)
}
