import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { SystemInfo, ToolAvailability, VersionInfo, Welcome } from "@troupe/api/SystemApi"
import { apiVersion, TroupeApi } from "@troupe/api/TroupeApi"
import { version as serviceVersion } from "@troupe/domain/Version"
import { Config, Effect } from "effect"
import { arch, execPath, platform, version } from "node:process"
import { Model } from "../Model/Model.ts"
import { basePathOf } from "../Runtime/NetworkAddress.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { outputOfCommand, whereIs } from "../Skill/Interpreters.ts"
import { TaskHistory } from "../Task/Read/TaskHistory.ts"
import { Limits } from "../Task/Spending/Limits.ts"
import { HealthChecks } from "./HealthChecks.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { makeLiveness, makeScrape } from "./Probes.ts"
import { StorageUsage } from "./StorageUsage.ts"

const wantsPage = (accept: string | undefined) => accept?.toLowerCase().includes("text/html") ?? false

export const SystemHttp = (
  options: HttpOptions & {
    /** Whether the web console was built. */
    readonly hasConsole: boolean
    readonly hasChannels: boolean
    /** Whether the team chat can start tasks, too. */
    readonly hasChat: boolean
    /** Whether mails become tasks. */
    readonly readsMail: boolean
    readonly settings: Settings["Type"]["stored"]["inEffect"]
  }
) =>
  HttpApiBuilder.group(TroupeApi, "system", (handlers) =>
    Effect.gen(function*() {
      const { deploymentMode } = options
      const base = basePathOf(options.publicUrl)
      const scrape = makeScrape(options)
      const checks = yield* HealthChecks
      const info = yield* makeSystemInfo
      const history = yield* TaskHistory
      const limits = yield* Limits
      const storage = yield* StorageUsage
      const hosted = deploymentMode === "hosted"

      const welcome: typeof Welcome.Type = {
        name: "Troupe",
        message: "Every task is an actor, and the company plays on when one of them falls.",
        version: serviceVersion,
        docs: hosted ? null : `${base}/docs`,
        console: options.hasConsole ? `${base}/console/` : null
      }
      const path = options.hasConsole ? "/console/" : hosted ? null : "/docs"
      // Relative where the path is not known under which a proxy may serve this.
      const page = base === "" ? path?.slice(1) ?? null : path
      const model = yield* Model
      const version = (): typeof VersionInfo.Type => ({
        version: serviceVersion,
        api_version: apiVersion,
        deployment_mode: deploymentMode,
        features: {
          authentication: hosted,
          channels: options.hasChannels,
          chat: options.hasChat,
          console: options.hasConsole,
          docs: !hosted,
          events: true,
          language_model: model.provider !== "offline",
          mail_inbox: options.readsMail,
          rate_limit: options.rateLimitPerMinute > 0,
          schedules: true,
          uploads: true,
          webhooks: true
        }
      })
      const liveness = yield* makeLiveness(checks.database)

      return handlers
        .handle("welcome", ({ request }) =>
          Effect.succeed(
            page !== null && wantsPage(request.headers["accept"])
              ? HttpServerResponse.redirect(page, { headers: { vary: "Accept" } })
              : HttpServerResponse.unsafeJson(welcome, { headers: { vary: "Accept" } })
          ))
        .handle("liveness", () => liveness)
        .handle("health", () => checks.report)
        .handle("version", () => Effect.sync(version))
        .handle("info", () => info)
        .handle("settings", () => Effect.map(options.settings, (sections) => ({ sections })))
        .handle("history", ({ urlParams }) =>
          Effect.gen(function*() {
            const report = yield* history.report(urlParams.period)
            const from = report.intervals[0]?.at.slice(0, 10) ?? null
            return { ...report, spending: yield* limits.spending({ user: null, from, to: null }) }
          }))
        .handle("storage", () => storage.report)
        .handle("metrics", ({ request }) => scrape(request.headers["authorization"]))
    }))

const missing: ToolAvailability = { available: false, version: null, path: null }

/** The programs that start tool servers, found on PATH, with their versions. Cached, because it starts three processes. */
export const makeSystemInfo: Effect.Effect<Effect.Effect<SystemInfo>> = Effect.gen(function*() {
  const searched = yield* Config.string("PATH").pipe(Config.withDefault(""), Effect.orDie)
  const tool = Effect.fn("SystemInfo.tool")(function*(name: string) {
    const path = yield* whereIs(name, searched)
    if (path === null) return missing
    const env = { ...yield* environment, PATH: searched }
    const output = yield* outputOfCommand({ program: path, args: ["--version"], env, cwd: null }, "10 seconds")
    return { available: output !== null, version: output?.trim().split("\n").at(-1) ?? null, path }
  })
  const found = Effect.map(
    Effect.all({ npm: tool("npm"), npx: tool("npx"), uvx: tool("uvx") }, { concurrency: 3 }),
    (tools): SystemInfo => ({
      platform,
      arch,
      tools: { node: { available: true, version: version.slice(1), path: execPath }, ...tools }
    })
  )
  return yield* Effect.cachedWithTTL(found, "5 minutes")
})

/** The environment that tool servers get: a version manager's npm needs HOME. Loaded at the first request. */
const environment = Effect.map(
  Effect.promise(() => import("@modelcontextprotocol/client/stdio")),
  ({ getDefaultEnvironment }) => getDefaultEnvironment()
)
