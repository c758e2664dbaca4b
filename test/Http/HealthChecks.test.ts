import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { HealthCheckName } from "@troupe/api/SystemApi"
import { DateTime, Deferred, Duration, Effect, Layer, Option, Redacted } from "effect"
import { tmpdir } from "node:os"
import { healthChecks } from "../../src/apps/Http.ts"
import { outboxTable } from "../../src/Delivery/Outbox.ts"
import { HealthChecks } from "../../src/Http/HealthChecks.ts"
import { makeSystemInfo } from "../../src/Http/SystemHttp.ts"
import { chatSource } from "../../src/Intake/Chat/StoredEvents.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { MemoryHealth } from "../../src/Memory/MemoryHealth.ts"
import { type EmbeddingCall, EmbeddingCalls } from "../../src/Model/Embeddings.ts"
import { Model, ModelUnavailable } from "../../src/Model/Model.ts"
import { Models } from "../../src/Model/Models.ts"
import { ChatHealth } from "../../src/People/ChatHealth.ts"
import { countsOf, QueueBacklog, type QueueCounts } from "../../src/Queue/QueueBacklog.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { settingNames } from "../../src/Runtime/Settings/SettingsCatalogue.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { WorkerHealth } from "../../src/Task/Read/Runners.ts"
import { reportOf, ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { Mail, MailFailed } from "../../src/Wire/Mail.ts"
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
const served = (options: Partial<Parameters<typeof live>[0]> = {}, database = Database.layer) =>
  Layer.unwrapScoped(
    Effect.map(freshFolder, (storage) => Layer.provide(live({ storage, ...options }), database))
  )

const reported = (options?: Parameters<typeof served>[0]) =>
  Effect.flatMap(HealthChecks, ({ report }) => requireCaller(report)).pipe(Effect.provide(served(options)))

const failing = (reason: string) => new ModelUnavailable({ provider: "local", reason })

/** What degrades a part, and what the report says of it. */
const degraded: ReadonlyArray<
  readonly [what: string, part: HealthCheckName, options: Parameters<typeof served>[0], detail: RegExp]
> = [
  [
    "a model that fails",
    "model",
    { probe: Effect.fail(failing("The local model is not reachable.")) },
    /^The local model is not reachable\.$/
  ],
  ["a folder that is missing", "storage", { storage: "/nowhere/at/all" }, /LOCAL_STORAGE_PATH/],
  [
    "scripts through which members reach each other's files",
    "storage",
    { storage: tmpdir(), hasUnsafeScripts: true },
    new RegExp(`^${tmpdir()} is writable\\. Scripts run free\\. Install bubblewrap\\.$`)
  ],
  [
    "a user with too many memories for the way they are searched",
    "database",
    { memoryProblem: "Install pgvector." },
    /^PostgreSQL answers\. Install pgvector\.$/
  ],
  [
    "a database whose notifications are lost",
    "database",
    { signalProblem: "Set DATABASE_DIRECT_URL." },
    /^PostgreSQL answers\. Set DATABASE_DIRECT_URL\.$/
  ]
]

describe("Health checks", () => {
  it.scopedLive("each part is checked, and one that is not configured says what to set", () =>
    Effect.gen(function*() {
      const { checks, status } = yield* reported()
      assert.strictEqual(status, "degraded")
      assert.strictEqual(checks.database.status, "ok")
      assert.strictEqual(checks.model.status, "ok")
      assert.strictEqual(checks.storage.status, "ok")
      assert.include(checks.storage.detail, "Scripts run free.")
      assert.strictEqual(checks.workers.status, "down")
      assert.include(checks.workers.detail, "npm start -- worker")
      assert.deepInclude(checks.chat, {
        status: "not_configured",
        detail: "Team chat is not set up: set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET."
      })
      assert.strictEqual(checks.mail.status, "not_configured")
      assert.include(checks.mail.detail, "SMTP_HOST")
      assert.include(checks.mail.detail, "Incoming mail is off: set IMAP_HOST")
      for (const { detail } of Object.values(checks)) {
        const named = detail.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
        assert.deepStrictEqual(named.filter((name) => !settingNames.has(name)), [], `settings that ${detail} names`)
      }
    }))

  it.scopedLive("a model that is not set up is not OK, names what to set, and does not degrade the service", () =>
    Effect.gen(function*() {
      const { checks: { model }, status } = yield* reported({ provider: "offline", workers: "healthy" })
      assert.strictEqual(model.status, "not_configured")
      assert.include(model.detail, "does not understand language")
      for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "USE_GEMINI", "USE_LOCAL_MODEL"]) {
        assert.include(model.detail, name)
        assert.isTrue(settingNames.has(name))
      }
      assert.strictEqual(status, "ok")
    }))

  it.scopedLive.each(degraded)("%s degrades the service", ([, part, options, detail]) =>
    Effect.gen(function*() {
      const { checks, status } = yield* reported(options)
      assert.strictEqual(checks[part].status, "degraded")
      assert.match(checks[part].detail, detail)
      assert.strictEqual(status, "degraded")
    }))

  it.scopedLive("what arrived and is not processed is counted, with what to do", () =>
    Effect.gen(function*() {
      const inbound = [
        { queue: chatSource, failed: 1 },
        { queue: webhookSource, overdue: 2, overdueSeconds: 90.4, failed: 3 }
      ]
      const { checks } = yield* reported({ inbound })
      assert.include(
        checks.chat.detail,
        "1 message of the team chat failed: GET /webhook/deliveries?source=chat&state=failed says why"
      )
      assert.include(checks.workers.detail, "2 webhooks to process, the oldest due for 90 s: start a worker")
      assert.include(checks.workers.detail, "3 webhooks failed: GET /webhook/deliveries?source=webhook&state=failed")
    }))

  it.scopedLive("embeddings are reported by their last call, without a new one", () =>
    Effect.gen(function*() {
      const settings = { OPENAI_API_KEY: "sk-test", OPENAI_EMBEDDING_MODEL: "small" }
      const at = DateTime.unsafeMake("2026-01-02T03:04:05Z")
      const failure = failing("OpenAI is not reachable.")
      const calls: Array<EmbeddingCall> = [{ at, failure }, { at, failure: null }]
      const embedding = Effect.sync(() => Option.fromNullable(calls.pop()))
      const [answered, failed, unused] = yield* Effect.flatMap(HealthChecks, ({ report }) =>
        Effect.replicateEffect(Effect.map(report, ({ checks: { embeddings } }) => embeddings), 3)).pipe(
          Effect.provide(served({ settings, embedding }))
        )
      assert.deepInclude(unused, { status: "ok", detail: "small of openai, not called by this process yet." })
      assert.strictEqual(answered?.status, "ok")
      assert.include(answered?.detail, "answered this process last at 2026-01-02T03:04:05.000Z")
      assert.deepInclude(failed, {
        status: "degraded",
        detail: "The last call of small of openai, at 2026-01-02T03:04:05.000Z, failed: OpenAI is not reachable."
      })
    }))

  it.scopedLive("a mail server that answers late is asked once, and included in the next report", () =>
    Effect.gen(function*() {
      let asked = 0
      const answer = yield* Deferred.make<string, MailFailed>()
      const mail = Layer.mock(Mail, {
        verify: Effect.zipRight(Effect.sync(() => asked++), Deferred.await(answer))
      })
      yield* Effect.gen(function*() {
        const { report } = yield* HealthChecks
        assert.deepInclude((yield* report).checks.mail, { status: "down", detail: "No response within 2 seconds." })
        yield* Deferred.fail(answer, new MailFailed({ kind: "unavailable", reason: "It takes no mail now." }))
        const { checks, status } = yield* report
        assert.deepInclude(checks.mail, {
          status: "degraded",
          detail: "It takes no mail now. Incoming mail is off: set IMAP_HOST, IMAP_USER and IMAP_PASSWORD."
        })
        assert.strictEqual(status, "degraded")
        assert.strictEqual(asked, 1)
      }).pipe(Effect.provide(served({ mail })))
    }))

  it.scopedLive("without its database the service is down", () =>
    Effect.gen(function*() {
      const url = yield* Database.freshDatabase
      yield* Effect.gen(function*() {
        const { database, report } = yield* HealthChecks
        assert.strictEqual((yield* database).status, "ok")
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        yield* Database.query(yield* Database.freshDatabase, `drop database ${name} with (force)`)
        assert.strictEqual((yield* database).status, "down")
        assert.strictEqual((yield* report).status, "down")
      }).pipe(Effect.provide(served({}, Layer.succeed(DatabaseUrl, url))))
    }))

  it.scopedLive("a check that hangs or fails is a finding after two seconds, and delays no other", () =>
    Effect.gen(function*() {
      const mail = Layer.mock(Mail, { verify: Effect.die("a secret") })
      yield* Effect.gen(function*() {
        const { report } = yield* HealthChecks
        const [took, { checks }] = yield* Effect.timed(report)
        assert.isBelow(Duration.toMillis(took), 4000)
        assert.deepInclude(checks.embeddings, { status: "down", detail: "No response within 2 seconds." })
        assert.strictEqual(checks.mail.status, "down")
        assert.notInclude(checks.mail.detail, "secret")
        assert.strictEqual(checks.database.status, "ok")
      }).pipe(Effect.provide(served({ mail, embedding: Effect.never, settings: { OPENAI_API_KEY: "k" } })))
    }))
})

it.live("system info finds the tools of this machine and asks them for their versions", () =>
  Effect.gen(function*() {
    const { arch, platform, tools } = yield* yield* makeSystemInfo
    assert.strictEqual(platform, process.platform)
    assert.strictEqual(arch, process.arch)
    assert.deepStrictEqual(tools.node, {
      available: true,
      version: process.versions.node,
      path: process.execPath
    })
    assert.isTrue(tools.npm.available)
    assert.match(tools.npm.version ?? "", /^\d+\.\d+\.\d+/)
    assert.isTrue(tools.npx.available)
    assert.strictEqual(tools.uvx.available, tools.uvx.path !== null)
  }))
