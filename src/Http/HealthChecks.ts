import * as FileSystem from "@effect/platform/FileSystem"
import * as SqlClient from "@effect/sql/SqlClient"
import { type HealthCheck, type HealthCheckName, healthCheckNames, type HealthReport } from "@troupe/api/SystemApi"
import type { ToolServersReport } from "@troupe/api/ToolServersApi"
import { plural } from "@troupe/domain/Plural"
import { Clock, Context, DateTime, Effect, Fiber, Layer, Option, Record } from "effect"
import { OutboxOperations } from "../Delivery/OutboxOperations.ts"
import { chatSource } from "../Intake/Chat/ChatEvent.ts"
import { InboundBacklog } from "../Intake/InboundBacklog.ts"
import { MemoryHealth } from "../Memory/MemoryHealth.ts"
import { type EmbeddingCall, EmbeddingCalls } from "../Model/EmbeddingCalls.ts"
import { Model } from "../Model/Model.ts"
import { ChatHealth } from "../People/ChatHealth.ts"
import { asService } from "../Runtime/Isolation.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import { WorkerHealth } from "../Task/WorkerHealth.ts"
import { ToolServerSettings } from "../ToolServer/ToolServerSettings.ts"
import { Mail } from "../Wire/Mail.ts"
import { withWaiting } from "./DeliveryHealth.ts"
import { withInbound } from "./InboundHealth.ts"
import { both, inboxFinding, inboxOff } from "./MailHealth.ts"

type Finding = Omit<HealthCheck, "latency_ms">
type Check = Effect.Effect<Finding>
type Checks = Readonly<Record<HealthCheckName, Check>>

const ok = (detail: string): Finding => ({ status: "ok", detail })
const noToolServers = "Configure tool servers by POST /api/mcp/configure or MCP_CONFIG_FILE."

const timeout = "2 seconds"

/** Runs a check with a time limit. A failure is a finding, never an error. */
const measured = (check: Check): Effect.Effect<HealthCheck> =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const finding = yield* check.pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning("Health check failed; it is reported as down", cause).pipe(
          Effect.as<Finding>({ status: "down", detail: "The check failed; see the log." })
        )
      ),
      // A statement that was sent can't be interrupted; the answer does not wait for it.
      Effect.disconnect,
      Effect.timeoutTo({
        duration: timeout,
        onSuccess: (found) => found,
        onTimeout: (): Finding => ({ status: "down", detail: `No response within ${timeout}.` })
      })
    )
    return { ...finding, latency_ms: (yield* Clock.currentTimeMillis) - start }
  })

const overall = (checks: HealthReport["checks"]): HealthReport["status"] =>
  checks.database.status === "down"
    ? "down"
    : Object.values(checks).some(({ status }) => status === "degraded" || status === "down")
    ? "degraded"
    : "ok"

/** Also for requests without a sign-in. */
const databaseCheck = (sql: SqlClient.SqlClient): Check =>
  asService(sql`select 1`).pipe(
    Effect.as(ok("PostgreSQL answers.")),
    Effect.catchAll(() =>
      Effect.succeed<Finding>({ status: "down", detail: "PostgreSQL does not respond: check DATABASE_URL." })
    )
  )

/** The check of a process that has only the database. */
export const databaseHealth: Effect.Effect<Effect.Effect<HealthCheck>, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => measured(databaseCheck(sql))
)

export interface HealthChecksOptions {
  readonly storagePath: string
  /** Whether an inbox is configured. */
  readonly readsMail: boolean
  /** The remote provider of embeddings and its model; null for the built-in ones. */
  readonly embeddings: { readonly provider: string; readonly model: string } | null
}

const makeChecks = Effect.fnUntraced(function*({ embeddings, readsMail, storagePath }: HealthChecksOptions) {
  const sql = yield* SqlClient.SqlClient
  const model = yield* Model
  const files = yield* FileSystem.FileSystem
  const embeddingCalls = yield* EmbeddingCalls
  const workers = yield* WorkerHealth
  const mail = yield* Mail
  const outbox = yield* OutboxOperations
  const inbound = yield* InboundBacklog
  const memories = yield* MemoryHealth
  const scripts = yield* SkillScripts
  const toolServers = yield* ToolServerSettings
  const chat = yield* ChatHealth

  const database = databaseCheck(sql)
  const databaseWithMemories: Check = Effect.flatMap(
    database,
    (finding) =>
      finding.status !== "ok" ? Effect.succeed(finding) : Effect.map(
        memories.problem,
        (problem): Finding =>
          problem === null ? finding : { status: "degraded", detail: `${finding.detail} ${problem}` }
      )
  )
  const probe = yield* Effect.cachedWithTTL(
    Effect.match(model.probe, {
      onSuccess: () => ok(`${model.provider} answers with ${model.model}.`),
      onFailure: ({ message }): Finding => ({ status: "degraded", detail: message })
    }),
    "30 seconds"
  )
  // Some servers delay their greeting, so the report does not wait; the next one has the result.
  const verified = yield* Effect.cachedWithTTL(
    Effect.match(mail.verify, {
      onSuccess: (found) => ok(found),
      onFailure: ({ kind, reason }): Finding => ({
        status: kind === "unconfigured" ? "not_configured" : "degraded",
        detail: reason
      })
    }).pipe(Effect.interruptible, Effect.forkDaemon, Effect.flatMap(Fiber.join)),
    "1 minute"
  )
  const connected = yield* Effect.cachedWithTTL(
    Effect.map(chat.check, ({ detail, status }): Finding => ({
      detail,
      status: status === "ok" || status === "not_configured" ? status : "degraded"
    })).pipe(Effect.interruptible, Effect.forkDaemon, Effect.flatMap(Fiber.join)),
    "30 seconds"
  )
  const inbox: Check = readsMail
    ? Effect.map(workers.report, inboxFinding).pipe(
      Effect.catchTag(
        "SearchUnfinished",
        ({ message }) => Effect.succeed<Finding>({ status: "degraded", detail: message })
      )
    )
    : Effect.succeed(inboxOff)
  const waiting = Effect.orElseSucceed(asService(outbox.counts), () => [])
  const arrived = Effect.orElseSucceed(asService(inbound.counts), () => [])
  const checks: Checks = {
    database: databaseWithMemories,
    chat: Effect.zipWith(Effect.uninterruptible(connected), waiting, withWaiting("chat")).pipe(
      Effect.zipWith(arrived, withInbound((source) => source === chatSource))
    ),
    mail: Effect.zipWith(
      Effect.zipWith(Effect.uninterruptible(verified), waiting, withWaiting("email")),
      inbox,
      both
    ),
    model: probe,
    embeddings: embeddings === null
      ? Effect.succeed(ok("Built in: hashed n-grams, no network."))
      : Effect.map(embeddingCalls.last, embeddingsFinding(`${embeddings.model} of ${embeddings.provider}`)),
    workers: Effect.map(workers.report, ({ pending_jobs, runners, status }): Finding => ({
      status: status === "healthy" ? "ok" : status,
      detail: status === "down"
        ? "No live worker: start one with npm start -- worker."
        : `${plural(runners.length, "worker")}, ${plural(pending_jobs, "task")} due.${
          status === "degraded"
            ? " A task has waited for more than 30 s, a heartbeat is late, or a job failed: GET /worker/health shows which."
            : ""
        }`
    })).pipe(
      Effect.catchTag(
        "SearchUnfinished",
        ({ message }) => Effect.succeed<Finding>({ status: "degraded", detail: message })
      ),
      Effect.zipWith(arrived, withInbound((source) => source !== chatSource))
    ),
    tool_servers: Effect.map(toolServers.status, toolServersFinding),
    storage: files.access(storagePath, { writable: true }).pipe(
      Effect.match({
        onSuccess: () => ok(`${storagePath} is writable. ${scripts.detail}`),
        onFailure: (): Finding => ({
          status: "degraded",
          detail: `${storagePath} can't be written to: set LOCAL_STORAGE_PATH to a folder that can.`
        })
      })
    )
  }
  return { checks, database }
})

/** Reports the last call, because a call as a check would cost money. */
const embeddingsFinding = (model: string) =>
  Option.match({
    onNone: () => ok(`${model}, not called by this process yet.`),
    onSome: ({ at, failure }: EmbeddingCall): Finding => {
      const when = DateTime.formatIso(at)
      return failure === null
        ? ok(`${model} answered this process last at ${when}.`)
        : { status: "degraded", detail: `The last call of ${model}, at ${when}, failed: ${failure.message}` }
    }
  })

const toolServersFinding = (report: ToolServersReport): Finding => {
  const { connected_servers, servers, total_servers, total_tools } = report
  if (total_servers === 0) return { status: "not_configured", detail: noToolServers }
  const unwell = servers.filter(({ status }) => status === "failed" || status === "connecting")
  return unwell.length === 0
    ? ok(`${connected_servers} connected, with ${plural(total_tools, "tool")}.`)
    : {
      status: "degraded",
      detail: `Not connected: ${unwell.map(({ name }) => name).join(", ")}. GET /api/mcp/status says why.`
    }
}

export class HealthChecks extends Context.Tag("troupe/Http/HealthChecks")<HealthChecks, {
  readonly database: Effect.Effect<HealthCheck>
  readonly report: Effect.Effect<HealthReport>
}>() {
  static readonly layer = (options: HealthChecksOptions): Layer.Layer<
    HealthChecks,
    never,
    | SqlClient.SqlClient
    | ChatHealth
    | EmbeddingCalls
    | InboundBacklog
    | Mail
    | MemoryHealth
    | Model
    | OutboxOperations
    | SkillScripts
    | ToolServerSettings
    | WorkerHealth
    | FileSystem.FileSystem
  > =>
    Layer.effect(
      this,
      Effect.map(makeChecks(options), ({ checks, database }) =>
        HealthChecks.of({
          database: measured(database),
          report: Effect.map(
            Effect.all(Record.map(checks, measured), { concurrency: healthCheckNames.length }),
            (found) => ({ status: overall(found), checks: found })
          )
        }))
    )
}
