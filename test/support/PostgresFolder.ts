import { Effect, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { copyFolder } from "./copyFolder.ts"
import { freshFolder } from "./FreshFolder.ts"

/** A folder with a cluster in it that was never served. */
export const folderWithCluster = Effect.tap(
  freshFolder,
  (folder) => copyFolder(inject("newCluster"), join(folder, "cluster"))
)

/** The number of the server's process, or 0 where no server says that it runs. */
export const serverPid = (folder: string): Effect.Effect<number> =>
  Effect.promise(() => readFile(join(folder, "cluster", "postmaster.pid"), "utf8").catch(() => "")).pipe(
    Effect.map((text) => Number(text.split("\n")[0]))
  )

/** Kills without a chance to clean up. */
export const kill = (pid: number): Effect.Effect<void> => Effect.sync(() => process.kill(pid, "SIGKILL"))

/** The watchdog beside the process that serves with this server. */
export const watchdogPid = (server: number): Effect.Effect<number> =>
  Effect.promise(async () => {
    const found = (await processes()).find(({ command }) => command.endsWith(`troupe-watchdog ${server}`))
    return found?.pid ?? 0
  })

const processes = async (): Promise<ReadonlyArray<{ readonly pid: number; readonly command: string }>> => {
  if (process.platform === "linux") {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
    return Promise.all(pids.map(async (pid) => ({
      pid: Number(pid),
      command: (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0").join(" ").trim()
    })))
  }
  const lines = await new Promise<string>((resolve) =>
    execFile("ps", ["-A", "-ww", "-o", "pid=,command="], (_, output) => resolve(output))
  )
  return lines.split("\n").map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }))
}

const server = fileURLToPath(new URL("servePostgres.mjs", import.meta.url))

/** Another process that serves the folder, with the built module. */
export const otherProcess = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [server, folder], { stdio: ["ignore", "pipe", "inherit"] })
      const exit = once(child, "exit")
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith("postgresql://")) return { child, exit, url: Redacted.make(line) }
      }
      throw new Error("The other process did not serve")
    }),
    ({ child, exit }) =>
      Effect.promise(async () => {
        child.kill("SIGTERM")
        await exit
      })
  ).pipe(
    Effect.map(({ child, exit, url }) => ({
      url,
      end: (signal: "SIGKILL" | "SIGTERM") =>
        Effect.promise(() => {
          child.kill(signal)
          return exit
        })
    }))
  )
