import { Effect } from "effect"
import { type Bench, type Dialect, freshEnvironment } from "./Bench.ts"
import { startSubject } from "./Child.ts"
import { type Fields, print, round } from "./Line.ts"
import { besidePeers, type PeerLoad } from "./Peers.ts"
import { temporaryFolder } from "./Postgres.ts"
import type { SubjectOrder } from "./Protocol.ts"
import { measure, type Measured, type Runnable } from "./Window.ts"
import { stepsOf } from "./Work.ts"

interface Load {
  readonly concurrency: number
  readonly rounds?: number
  readonly latency?: number
  readonly dialect?: Dialect
}

/** Use-cases and actors in one process, without HTTP. */
const workerLoad = (
  bench: Bench,
  { concurrency, dialect = "chat", latency = 0, rounds = 3 }: Load,
  afterWindow?: (measured: Measured) => Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const { options: { quick, windows } } = bench
    const folder = yield* temporaryFolder
    const model = `fake-r${rounds}-l${latency}`
    const { database, environment } = yield* freshEnvironment(bench, model, folder, dialect)
    const subject = yield* startRunnable({ role: "worker", environment })
    const share = 3 / rounds
    const measured = yield* measure(bench, subject, {
      database,
      concurrency,
      windows,
      warmUp: Math.max(concurrency, Math.ceil((quick ? 100 : 800) * share)),
      tasks: Math.ceil((quick ? 200 : concurrency === 1 ? 500 : 1500) * share)
    }, afterWindow)
    const serverMillis = measured["pg_cpu_ms_per_task"]
    return {
      measured,
      fields: {
        rounds,
        model,
        variant: dialect,
        ...measured,
        pg_cpu_ms_per_action: typeof serverMillis === "number" ? round(serverMillis / stepsOf(rounds)) : null
      }
    }
  }).pipe(Effect.scoped)

export const startRunnable = (order: SubjectOrder) =>
  Effect.map(startSubject(order), (child) => ({ ...child, run: (run) => child.ask("run", run) } satisfies Runnable))

const workerLoads: ReadonlyArray<Load> = [
  { concurrency: 1 },
  { concurrency: 16 },
  { concurrency: 64 },
  { concurrency: 64, dialect: "responses" },
  { concurrency: 16, latency: 20 },
  { concurrency: 64, latency: 20 }
]

/** The loads at which peers are measured too: they speak chat-completions. */
export const peerLoads: ReadonlyArray<PeerLoad> = workerLoads.flatMap(({ concurrency, dialect, latency = 0 }) =>
  dialect === undefined ? [{ concurrency, latency }] : []
)

/**
 * Throughput and costs per task at several concurrencies, with a model that answers at once or after 20 ms; peers in
 * turns with it.
 */
export const worker = (bench: Bench) =>
  Effect.forEach(workerLoads, (load) =>
    Effect.gen(function*() {
      const { peers } = bench.options
      const beside = peers === null || load.dialect !== undefined
        ? null
        : besidePeers(bench, peers, { concurrency: load.concurrency, latency: load.latency ?? 0 })
      const { fields } = yield* workerLoad(bench, load, beside?.afterWindow)
      print("worker", fields)
      if (beside !== null) yield* beside.printRatios
    }), { discard: true })

/** Whether a step costs the same in a long conversation: WAL per step, compared with three rounds. */
export const growth = (bench: Bench) =>
  Effect.gen(function*() {
    let first = Number.NaN
    let previous: { readonly rounds: number; readonly bytes: number } | null = null
    for (const rounds of [3, 10, 40]) {
      const { fields, measured } = yield* workerLoad(bench, { concurrency: 16, rounds })
      const bytes = withoutImages(measured)
      const perStep = bytes / stepsOf(rounds)
      if (previous === null) first = perStep
      const grown: Fields = previous === null ? {} : {
        wal_bytes_per_added_step: round((bytes - previous.bytes) / (stepsOf(rounds) - stepsOf(previous.rounds)), 0)
      }
      print("growth", {
        ...fields,
        wal_bytes_per_step: round(perStep, 0),
        wal_per_step_ratio: round(perStep / first),
        ...grown
      })
      previous = { rounds, bytes }
    }
  })

/** Full-page images depend on checkpoints, not on steps. */
const withoutImages = (measured: Measured): number =>
  measured.wal_bytes_per_task - Number(measured["wal_fpi_bytes_per_task"] ?? 0)
