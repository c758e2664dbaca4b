import * as FileSystem from "@effect/platform/FileSystem"
import * as SqlClient from "@effect/sql/SqlClient"
import { type HealthCheck, type HealthCheckName, healthCheckNames, type HealthReport } from "@troupe/api/SystemApi"
import type { WorkerHealthReport } from "@troupe/api/Worker"
import { Clock, Context, Effect, Layer, Option, Record } from "effect"
import { outboxTable } from "../Delivery/Outbox.ts"
import { chatSource } from "../Intake/Chat/StoredEvents.ts"
import { inboundTable } from "../Intake/InboundMessage.ts"
import { MemoryHealth } from "../Memory/MemoryHealth.ts"
import { EmbeddingCalls } from "../Model/Embeddings.ts"
import { Model } from "../Model/Model.ts"
import { Models } from "../Model/Models.ts"
import { ChatHealth } from "../People/ChatHealth.ts"
import { QueueBacklog } from "../Queue/QueueBacklog.ts"
import { heldBack } from "../Runtime/Database/Cleaning.ts"
import { DatabaseProbe } from "../Runtime/Database/DatabaseProbe.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import { WorkerHealth } from "../Task/Read/Runners.ts"
import { ToolServerSettings } from "../ToolServer/ToolServerSettings.ts"
import { Mail } from "../Wire/Mail.ts"
import { makeDiskSpace } from "./DiskSpace.ts"
import {
  degraded,
  down,
  embeddingsFinding,
  type HealthFinding,
  inboxFinding,
  mailFinding,
  notConfigured,
  offlineFinding,
  ok,
  toolServersFinding,
  withInbound,
  withOtherModels,
  withProblems,
  withWaiting,
  workersFinding
} from "./HealthFindings.ts"
import { sharedCheck } from "./SharedCheck.ts"

type Check = Effect.Effect<HealthFinding>

const timeout = "2 seconds"

/** Runs a check with a time limit. A failure is a finding, never an error. */
const measured = (check: Check): Effect.Effect<HealthCheck> =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const finding = yield* check.pipe(
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logWarning("Health check failed; it is reported as down", cause),
          down("The check failed; see the log.")
        )
      ),
      // A statement that was sent can't be interrupted; the answer does not wait for it.
      Effect.disconnect,
      Effect.timeoutTo({
        duration: timeout,
        onSuccess: (found) => found,
        onTimeout: () => down(`No response within ${timeout}.`)
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

const databaseCheck = ({ response }: DatabaseProbe["Type"]): Check =>
  Effect.match(response, {
    onSuccess: () => ok("PostgreSQL answers."),
    onFailure: () => down("PostgreSQL does not respond: check DATABASE_URL.")
  })

/** The check of a process that has only the database. */
export const databaseHealth: Effect.Effect<Effect.Effect<HealthCheck>, never, DatabaseProbe> = Effect.map(
  DatabaseProbe,
  (probe) => measured(databaseCheck(probe))
)

export interface HealthChecksOptions {
  readonly storagePath: string
  /** Folders whose disks must not become full. */
  readonly written: ReadonlyArray<string>
  /** Whether an inbox is configured. */
  readonly readsMail: boolean
  /** The remote provider of embeddings and its model; null for the built-in ones. */
  readonly embeddings: { readonly provider: string; readonly model: string } | null
}

const make = Effect.fnUntraced(function*(options: HealthChecksOptions) {
  const { embeddings, storagePath, written } = options
  const sql = yield* SqlClient.SqlClient
  const model = yield* Model
  const models = yield* Models
  const files = yield* FileSystem.FileSystem
  const embeddingCalls = yield* EmbeddingCalls
  const workers = yield* WorkerHealth
  const mail = yield* Mail
  const backlog = yield* QueueBacklog
  const memories = yield* MemoryHealth
  const signals = yield* Signals
  const scripts = yield* SkillScripts
  const toolServers = yield* ToolServerSettings
  const chat = yield* ChatHealth

  const database = databaseCheck(yield* DatabaseProbe)
  const held = yield* sharedCheck(
    Effect.map(
      asService(Effect.orDie(heldBack(sql))),
      (found) => found.map(({ fix, problem }) => `${problem} ${fix}.`)
    ),
    "30 seconds"
  )
  const databaseWithProblems: Check = Effect.flatMap(
    database,
    (finding) =>
      finding.status !== "ok" ? Effect.succeed(finding) : Effect.map(
        Effect.all([signals.problem, memories.problem, held]),
        (problems) => withProblems(finding, problems.flat().filter((problem) => problem !== null))
      )
  )
  const shortages = yield* makeDiskSpace(written)
  const probe = yield* sharedCheck(
    Effect.match(model.probe, {
      onSuccess: () =>
        model.provider === "offline"
          ? offlineFinding
          : ok(`${model.provider} answers, with the model ${model.model}.`),
      onFailure: ({ message }) => degraded(message)
    }),
    "30 seconds"
  )
  // Some servers delay their greeting, so the report does not wait; the next one has the result.
  const verified = yield* sharedCheck(
    Effect.match(mail.verify, {
      onSuccess: ok,
      onFailure: ({ kind, reason }) => kind === "unconfigured" ? notConfigured(reason) : degraded(reason)
    }),
    "1 minute"
  )
  const connected = yield* sharedCheck(
    Effect.map(chat.check, ({ detail, status }): HealthFinding => ({
      detail,
      status: status === "ok" || status === "not_configured" ? status : "degraded"
    })),
    "30 seconds"
  )
  const fromWorkers = (found: (report: WorkerHealthReport) => HealthFinding): Check =>
    Effect.match(workers.report, { onSuccess: found, onFailure: ({ message }) => degraded(message) })
  const inbox = Effect.suspend(() =>
    options.readsMail
      ? fromWorkers(inboxFinding)
      : Effect.succeed(notConfigured("Incoming mail is off: set IMAP_HOST, IMAP_USER and IMAP_PASSWORD."))
  )
  const waiting = Effect.orElseSucceed(asService(backlog.counts(outboxTable)), () => [])
  const arrived = Effect.orElseSucceed(asService(backlog.counts(inboundTable)), () => [])
  const checks: Readonly<Record<HealthCheckName, Check>> = {
    database: databaseWithProblems,
    chat: Effect.zipWith(connected, waiting, withWaiting("chat")).pipe(
      Effect.zipWith(arrived, withInbound((source) => source === chatSource))
    ),
    mail: Effect.zipWith(Effect.zipWith(verified, waiting, withWaiting("mail")), inbox, mailFinding),
    model: Effect.zipWith(probe, asService(models.report), withOtherModels),
    embeddings: embeddings === null
      ? Effect.succeed(ok("Built in: hashed n-grams, no network."))
      : Effect.map(
        embeddingCalls.last,
        (call) => embeddingsFinding(`${embeddings.model} of ${embeddings.provider}`, Option.getOrNull(call))
      ),
    workers: Effect.zipWith(fromWorkers(workersFinding), waiting, withWaiting("workers")).pipe(
      Effect.zipWith(arrived, withInbound((source) => source !== chatSource))
    ),
    tool_servers: Effect.map(toolServers.status, toolServersFinding),
    storage: Effect.matchEffect(files.access(storagePath, { writable: true }), {
      onSuccess: () =>
        Effect.map(shortages, (problems) => {
          const { detail, fix, isUnsafe } = scripts.judgement
          return withProblems(
            (isUnsafe ? degraded : ok)(
              [`${storagePath} is writable.`, detail, ...(fix === null ? [] : [fix])].join(" ")
            ),
            problems
          )
        }),
      onFailure: () =>
        Effect.succeed(
          degraded(`${storagePath} can't be written to: set LOCAL_STORAGE_PATH to a folder that can.`)
        )
    })
  }
  return HealthChecks.of({
    database: measured(database),
    report: Effect.map(
      Effect.all(Record.map(checks, measured), { concurrency: healthCheckNames.length }),
      (found) => ({ status: overall(found), checks: found })
    )
  })
})

export class HealthChecks extends Context.Tag("troupe/Http/HealthChecks")<HealthChecks, {
  readonly database: Effect.Effect<HealthCheck>
  readonly report: Effect.Effect<HealthReport>
}>() {
  static readonly layer = (options: HealthChecksOptions): Layer.Layer<
    HealthChecks,
    never,
    | DatabaseProbe
    | SqlClient.SqlClient
    | ChatHealth
    | EmbeddingCalls
    | Mail
    | MemoryHealth
    | Model
    | Models
    | QueueBacklog
    | Signals
    | SkillScripts
    | ToolServerSettings
    | WorkerHealth
    | FileSystem.FileSystem
  > => Layer.scoped(this, make(options))
}
