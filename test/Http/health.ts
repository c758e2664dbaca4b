import { NodeContext } from "@effect/platform-node"
import type { Option } from "effect"
import { Effect, Layer } from "effect"
import { healthChecks } from "../../src/apps/Http.ts"
import { outboxTable } from "../../src/Delivery/Outbox.ts"
import { MemoryHealth } from "../../src/Memory/MemoryHealth.ts"
import { type EmbeddingCall, EmbeddingCalls } from "../../src/Model/Embeddings.ts"
import { Model, ModelUnavailable } from "../../src/Model/Model.ts"
import { Models } from "../../src/Model/Models.ts"
import { ChatHealth } from "../../src/People/ChatHealth.ts"
import { countsOf, QueueBacklog, type QueueCounts } from "../../src/Queue/QueueBacklog.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { WorkerHealth } from "../../src/Task/Read/Runners.ts"
import { reportOf, ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { Mail } from "../../src/Wire/Mail.ts"
import * as Database from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"

const workersAre = (status: "down" | "healthy") =>
  Layer.succeed(WorkerHealth, {
    report: Effect.succeed({
      status,
      runners: [],
      pending_jobs: 3,
      oldest_pending: null,
      backlog_seconds: 0,
      scheduled_jobs: []
    })
  })

const live = (
  options: {
    readonly storage: string
    readonly probe?: Model["Type"]["probe"]
    readonly provider?: Model["Type"]["provider"]
    readonly workers?: "down" | "healthy"
    readonly mail?: Layer.Layer<Mail>
    readonly settings?: Record<string, string>
    readonly embedding?: Effect.Effect<Option.Option<EmbeddingCall>>
    readonly memoryProblem?: string
    readonly signalProblem?: string
    readonly hasUnsafeScripts?: boolean
    readonly outbox?: ReadonlyArray<Partial<QueueCounts>>
    readonly inbound?: ReadonlyArray<Partial<QueueCounts>>
  }
) =>
  Layer.unwrapEffect(Effect.map(Settings, healthChecks)).pipe(
    Layer.provide([
      Sql.layer({ maxConnections: 2 }),
      Layer.mock(Model, {
        provider: options.provider ?? "local",
        model: "small",
        sees: () => false,
        probe: options.probe ?? Effect.void
      }),
      Layer.succeed(EmbeddingCalls, { last: options.embedding ?? Effect.succeedNone }),
      workersAre(options.workers ?? "down"),
      Layer.succeed(QueueBacklog, {
        counts: (table) =>
          Effect.succeed(((table === outboxTable ? options.outbox : options.inbound) ?? []).map((one) => ({
            ...countsOf("", []),
            ...one
          })))
      }),
      Layer.succeed(MemoryHealth, { problem: Effect.succeed(options.memoryProblem ?? null) }),
      Layer.mock(Signals, {
        origin: null,
        send: () => {},
        problem: Effect.succeed(options.signalProblem ?? null)
      }),
      options.mail ?? Mail.layerUnconfigured,
      ChatHealth.layer({ canReceive: false }).pipe(Layer.provide(unconfiguredChat)),
      Layer.mock(SkillScripts, {
        judgement: {
          detail: "Scripts run free.",
          fix: "Install bubblewrap.",
          isUnsafe: options.hasUnsafeScripts ?? false,
          isClosed: false
        }
      }),
      Layer.mock(Models, { report: Effect.succeed({ default: "settings", fallbacks: [], models: [] }) }),
      Layer.mock(ToolServerSettings, {
        status: Effect.succeed(reportOf({ configuration: { version: 0, servers: [] }, reports: [] }))
      }),
      Layer.orDie(Settings.layerFrom({ LOCAL_STORAGE_PATH: options.storage, ...options.settings })),
      NodeContext.layer
    ])
  )

/** With a folder and a database that work, unless others are given. */
export const served = (options: Partial<Parameters<typeof live>[0]> = {}, database = Database.layer) =>
  Layer.unwrapScoped(
    Effect.map(freshFolder, (storage) => Layer.provide(live({ storage, ...options }), database))
  )

export const failing = (reason: string) => new ModelUnavailable({ provider: "local", reason })
