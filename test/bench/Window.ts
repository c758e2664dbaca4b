import { Effect } from "effect"
import type { Bench } from "./Bench.ts"
import { ascending, each, type Fields, quantile, round } from "./Line.ts"
import { calibrate, cpuOf, cpuOfFamily, processors } from "./Machine.ts"
import { ask, connect, onDatabase, storedBytes } from "./Postgres.ts"
import type { RunOrder, RunResult } from "./Protocol.ts"

/** Runs a number of tasks. */
export interface Runnable {
  readonly run: (order: RunOrder) => Effect.Effect<RunResult>
}

export interface WindowOptions {
  readonly database: string
  readonly concurrency: number
  readonly tasks: number
  readonly warmUp: number
  readonly windows: number
}

/** The fields of one window of measurement, those of the peers' harness. */
export type Measured = Fields & {
  readonly tasks_per_s: number
  readonly p50_ms: number
  readonly wal_bytes_per_task: number
}

let submitted = 0

/** Runs this number of tasks. */
export const work = ({ run }: Runnable, tasks: number, concurrency: number): Effect.Effect<RunResult> =>
  Effect.suspend(() => {
    submitted += tasks
    return run({ from: submitted - tasks, tasks, concurrency, until: "completed" })
  })

/**
 * Warms the process up, measures `windows` windows, each followed by `afterWindow`, and returns the one with the median
 * throughput.
 */
export const measure = (
  bench: Bench,
  subject: Runnable,
  options: WindowOptions,
  afterWindow: (measured: Measured) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<Measured> =>
  Effect.gen(function*() {
    yield* work(subject, options.warmUp, options.concurrency)
    yield* bench.postgres.checkpoint
    // Writes the hot pages once after the checkpoint, so that their full-page images are outside of the windows.
    yield* work(subject, Math.min(options.warmUp, 200), options.concurrency)
    const window = Effect.tap(oneWindow(bench, subject, options), afterWindow)
    const found = yield* Effect.replicateEffect(window, options.windows)
    const sorted = found.toSorted((a, b) => a.tasks_per_s - b.tasks_per_s)
    const middle = sorted[Math.floor((sorted.length - 1) / 2)]
    if (middle === undefined) return yield* Effect.dieMessage("There was no window")
    return sorted.length === 1 ? middle : { ...middle, tasks_per_s_all: sorted.map((window) => window.tasks_per_s) }
  })

const oneWindow = (bench: Bench, subject: Runnable, options: WindowOptions): Effect.Effect<Measured> =>
  Effect.gen(function*() {
    const { database, concurrency, tasks } = options
    const { model, postgres } = bench
    const admin = yield* connect(onDatabase(postgres.url, database))
    const outside = () => ({
      postgres: cpuOfFamily(postgres.pid),
      model: cpuOf(model.pid),
      processors: processors()
    })
    const calibration = calibrate()
    const bytesBefore = yield* storedBytes(admin)
    const before = yield* postgres.counted(database)
    const at = outside()
    const result = yield* work(subject, tasks, concurrency)
    const then = outside()
    const after = yield* postgres.counted(database)
    const imageBytes = yield* postgres.imagesSince(before.position)
    const latencies = ascending(result.latencies)
    const all = then.processors !== null && at.processors !== null ? then.processors.all - at.processors.all : null
    const known = [
      [then.postgres, at.postgres],
      [then.model, at.model],
      [result.cpuMillis, 0]
    ].reduce((sum, [end, start]) => sum + ((end ?? 0) - (start ?? 0)), 0)
    const busy = (then.processors?.busy ?? 0) - (at.processors?.busy ?? 0)
    return {
      tasks,
      concurrency,
      secs: round(result.seconds),
      tasks_per_s: round(tasks / result.seconds),
      p50_ms: round(quantile(latencies, 0.5)),
      p95_ms: round(quantile(latencies, 0.95)),
      max_ms: round(latencies.at(-1) ?? 0),
      errors: result.errors,
      firstErr: result.firstError ?? undefined,
      node_cpu_ms_per_task: each(result.cpuMillis, 0, tasks),
      pg_cpu_ms_per_task: each(then.postgres, at.postgres, tasks),
      model_cpu_ms_per_task: each(then.model, at.model, tasks),
      sql_per_task: each(after.statements, before.statements, tasks),
      write_xacts_per_task: each(after.transactions, before.transactions, tasks),
      wal_bytes_per_task: round((after.walBytes - before.walBytes) / tasks, 0),
      wal_fpi_bytes_per_task: each(imageBytes, 0, tasks, 0),
      db_bytes_per_task: round(((yield* storedBytes(admin)) - bytesBefore) / tasks, 0),
      peak_rss_mb: result.peakMegabytes === null ? null : round(result.peakMegabytes, 0),
      longest_stop_ms: result.longestStopMillis === null ? null : round(result.longestStopMillis, 0),
      others_cpu_share: all === null ? null : round(Math.max(0, busy - known) / all),
      steal_share: each(then.processors?.stolen ?? null, at.processors?.stolen ?? null, all ?? 1),
      calib_ms: round(calibration)
    }
  }).pipe(Effect.scoped)

/** Waits until a query returns `yes`. */
export const untilRow = (url: string, question: string, values: ReadonlyArray<unknown>, within: `${number} seconds`) =>
  Effect.gen(function*() {
    const client = yield* connect(url)
    yield* ask<{ yes: boolean }>(client, question, values).pipe(
      Effect.delay("50 millis"),
      Effect.repeat({ until: ([row]) => row?.yes === true }),
      Effect.timeout(within),
      Effect.orDie
    )
  }).pipe(Effect.scoped)
