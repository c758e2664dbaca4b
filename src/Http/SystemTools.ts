import type { SystemInfo, ToolAvailability } from "@troupe/api/SystemApi"
import { Config, Context, Effect, Layer } from "effect"
import { arch, execPath, platform, version } from "node:process"
import { outputOfCommand, whereIs } from "../Skill/Programs.ts"

const missing: ToolAvailability = { available: false, version: null, path: null }

/** The programs that start tool servers, found on PATH, with their versions. */
export class SystemTools extends Context.Tag("troupe/Http/SystemTools")<SystemTools, {
  /** Cached for five minutes, because it starts three processes. */
  readonly info: Effect.Effect<SystemInfo>
}>() {
  static readonly layer: Layer.Layer<SystemTools> = Layer.effect(
    this,
    Effect.gen(function*() {
      const searched = yield* Config.string("PATH").pipe(Config.withDefault(""), Effect.orDie)
      const tool = Effect.fn("SystemTools.tool")(function*(name: string) {
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
      return SystemTools.of({ info: yield* Effect.cachedWithTTL(found, "5 minutes") })
    })
  )
}

/** What tool servers get of this process's: a version manager's npm needs HOME. Loaded at the first request. */
const environment = Effect.map(
  Effect.promise(() => import("@modelcontextprotocol/sdk/client/stdio.js")),
  ({ getDefaultEnvironment }) => getDefaultEnvironment()
)
