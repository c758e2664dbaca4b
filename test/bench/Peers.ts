import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Bench } from "./Bench.ts"
import { median, print, round } from "./Line.ts"
import { onDatabase } from "./Postgres.ts"
import type { Measured } from "./Window.ts"

export interface PeerLoad {
  readonly concurrency: number
  readonly latency: number
}

const namesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => existsSync(join(folder, name, "run.mjs")))

/** Measures the peers of a folder on the same server with the same model; each prints its own line. */
export const peers = (bench: Bench, folder: string, loads: ReadonlyArray<PeerLoad>): Effect.Effect<void> =>
  Effect.forEach(
    namesIn(folder),
    (name) => Effect.forEach(loads, (load) => runPeer(bench, folder, name, load), { discard: true }),
    { discard: true }
  )

/** Our figures divided by a peer's, measured directly after: the speed of a shared machine changes within minutes. */
interface Ratios {
  readonly throughput: Array<number>
  readonly p50: Array<number>
}

/** Runs all peers after each window of ours, and prints the ratios, each the median of its windows. */
export const besidePeers = (bench: Bench, folder: string, load: PeerLoad) => {
  const ratios = new Map<string, Ratios>()
  const compare = (name: string, ours: Measured) =>
    Effect.map(runPeer(bench, folder, name, load), (theirs) => {
      if (theirs === null) return
      const known = ratios.get(name) ?? { throughput: [], p50: [] }
      known.throughput.push(round(ours.tasks_per_s / theirs.tasks_per_s))
      known.p50.push(round(ours.p50_ms / theirs.p50_ms))
      ratios.set(name, known)
    })
  return {
    afterWindow: (ours: Measured) => Effect.forEach(namesIn(folder), (name) => compare(name, ours), { discard: true }),
    printRatios: Effect.sync(() =>
      ratios.forEach(({ p50, throughput }, name) =>
        print("ratio", {
          to: name,
          ...load,
          tasks_per_s_ratio: median(throughput),
          p50_ratio: median(p50),
          tasks_per_s_ratios: throughput,
          p50_ratios: p50
        })
      )
    )
  }
}

const PeerLine = Schema.parseJson(Schema.Struct({ tasks_per_s: Schema.Number, p50_ms: Schema.Number }))

/** Prints the peer's line and returns its figures; null if it failed. */
const runPeer = (
  { model, options: { quick }, postgres }: Bench,
  folder: string,
  name: string,
  { concurrency, latency }: PeerLoad
) =>
  Effect.async<string>((resume) => {
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
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      process.stdout.write(text)
    })
    child.once("close", (code) => {
      if (code !== 0) process.stderr.write(`The peer ${name} ended with ${code}\n`)
      resume(Effect.succeed(output))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.flatMap((output) => Schema.decode(PeerLine)(output.trim().split("\n").at(-1) ?? "")),
    Effect.catchAll(() => {
      process.stderr.write(`The last line of the peer ${name} has no figures\n`)
      return Effect.succeed(null)
    })
  )
