import { execute, exitCodeOf } from "@troupe/cli/CommandLine"
import { ConfigProvider, Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import type { Environment } from "./Processes.ts"

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const command = fileURLToPath(new URL("../../packages/cli/bin/troupe.cjs", import.meta.url))

/** Runs the built `troupe` command to its end, with nothing of this process's environment. */
export const troupeAt =
  (port: number, environment: Environment = {}) =>
  (words: ReadonlyArray<string>, input = ""): Effect.Effect<CommandResult> =>
    Effect.acquireUseRelease(
      Effect.sync(() =>
        spawn(process.execPath, [command, ...words], {
          env: {
            TROUPE_URL: `http://127.0.0.1:${port}`,
            ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
          }
        })
      ),
      (child) =>
        Effect.promise(async () => {
          child.stdin.end(input)
          const [stdout, stderr, [code]] = await Promise.all([
            text(child.stdout),
            text(child.stderr),
            once(child, "close")
          ])
          return { code, stdout, stderr }
        }),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    )

/** Standard streams that collect what is written to them. */
export const collectingStreams = (input = "") => {
  const written = { stdout: "", stderr: "", both: "" }
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string, done: () => void) => {
      written[name] += text
      written.both += text
      done()
      return true
    }
  })
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)])
  return { written, streams: { stdin, stdout: sink("stdout"), stderr: sink("stderr") } }
}

/** Runs `troupe` in this process, with pipes for its standard streams: as the built command, and sooner. */
export const troupeHere = (port: number) => (words: ReadonlyArray<string>, input = ""): Effect.Effect<CommandResult> =>
  Effect.gen(function*() {
    const { streams, written } = collectingStreams(input)
    const exit = yield* execute(["node", "troupe", ...words], streams).pipe(
      Effect.exit,
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["TROUPE_URL", `http://127.0.0.1:${port}`]])))
    )
    return { code: exitCodeOf(exit), stdout: written.stdout, stderr: written.stderr }
  })
