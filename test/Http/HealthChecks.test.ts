import { assert, describe, it } from "@effect/vitest"
import type { HealthCheckName } from "@troupe/api/SystemApi"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { HealthChecks } from "../../src/Http/HealthChecks.ts"
import { makeSystemInfo } from "../../src/Http/SystemHttp.ts"
import { chatSource } from "../../src/Intake/Chat/StoredEvents.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { settingNames } from "../../src/Runtime/Settings/SettingsCatalogue.ts"
import { failing, served } from "./health.ts"

const reported = (options?: Parameters<typeof served>[0]) =>
  Effect.flatMap(HealthChecks, ({ report }) => requireCaller(report)).pipe(Effect.provide(served(options)))

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
