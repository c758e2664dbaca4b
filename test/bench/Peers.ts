import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Bench } from "./Bench.ts"
import { onDatabase } from "./Postgres.ts"

/** Measures the peers of a folder on the same server with the same model; each prints its own line. */
export const peers = (bench: Bench, folder: string) =>
  Effect.gen(function*() {
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "run.mjs")))
    for (const name of names) for (const load of loads) yield* one(bench, folder, name, load)
  })

/** The same loads as those of `worker`. */
const loads = [
  { concurrency: 1, latency: 0 },
  { concurrency: 16, latency: 0 },
  { concurrency: 64, latency: 0 },
  { concurrency: 16, latency: 20 },
  { concurrency: 64, latency: 20 }
] as const

const one = (
  { model, options: { quick }, postgres }: Bench,
  folder: string,
  name: string,
  { concurrency, latency }: typeof loads[number]
) =>
  Effect.async<void>((resume) => {
    const options = {
      tasks: quick || concurrency === 1 ? 200 : 1000,
      warmup: quick || concurrency === 1 ? 50 : 300,
      concurrency,
      model: `fake-r3-l${latency}`,
      // They append the name of their database.
      "pg-url": onDatabase(postgres.url, "").replace(/\/$/, ""),
      "model-url": model.url
    }
    const words = Object.entries(options).flatMap(([key, value]) => [`--${key}`, String(value)])
    const child = spawn(process.execPath, [join(folder, name, "run.mjs"), ...words], {
      stdio: ["ignore", "inherit", "inherit"]
    })
    child.once("exit", (code) => {
      if (code !== 0) process.stderr.write(`The peer ${name} ended with ${code}\n`)
      resume(Effect.void)
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
