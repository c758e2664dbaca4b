import * as Command from "@effect/platform/Command"
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { SystemInfo, ToolAvailability } from "@troupe/api/SystemApi"
import { Config, Context, Effect, Layer, Option } from "effect"
import { arch, execPath, platform, version } from "node:process"

const missing: ToolAvailability = { available: false, version: null, path: null }

/** The programs that start tool servers, found on PATH, with their versions. */
export class SystemTools extends Context.Tag("troupe/Http/SystemTools")<SystemTools, {
  /** Cached for five minutes, because it starts four processes. */
  readonly info: Effect.Effect<SystemInfo>
}>() {
  static readonly layer: Layer.Layer<
    SystemTools,
    never,
    CommandExecutor.CommandExecutor | FileSystem.FileSystem | Path.Path
  > = Layer.effect(
    this,
    Effect.gen(function*() {
      const context = yield* Effect.context<CommandExecutor.CommandExecutor>()
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const searched = yield* Config.string("PATH").pipe(Config.withDefault(""), Effect.orDie)
      const windows = platform === "win32"
      const folders = searched.split(windows ? ";" : ":").filter((folder) => folder !== "")

      const whereIs = (name: string) =>
        Effect.findFirst(
          folders.flatMap((folder) =>
            (windows ? [`${name}.cmd`, `${name}.exe`] : [name]).map((file) => path.join(folder, file))
          ),
          (file) => Effect.orElseSucceed(files.exists(file), () => false)
        )
      const versionOf = (file: string) =>
        Command.make(file, "--version").pipe(
          Command.runInShell(windows),
          Command.string,
          Effect.map((text) => text.trim().split("\n").at(-1) ?? ""),
          Effect.timeout("10 seconds"),
          Effect.option
        )
      const tool = Effect.fn("SystemTools.tool")(function*(name: string) {
        const file = yield* whereIs(name)
        if (Option.isNone(file)) return missing
        const output = yield* versionOf(file.value)
        return { available: Option.isSome(output), version: Option.getOrNull(output), path: file.value }
      })
      const found = Effect.all({ npm: tool("npm"), npx: tool("npx"), uvx: tool("uvx") }, { concurrency: 3 }).pipe(
        Effect.map((tools): SystemInfo => ({
          platform,
          arch,
          tools: { node: { available: true, version: version.slice(1), path: execPath }, ...tools }
        })),
        Effect.provide(context)
      )
      return SystemTools.of({ info: yield* Effect.cachedWithTTL(found, "5 minutes") })
    })
  )
}
