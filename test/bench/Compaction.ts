import { Effect } from "effect"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { print, round } from "./Line.ts"
import { temporaryFolder } from "./Postgres.ts"
import { startRunnable } from "./Throughput.ts"
import { measure } from "./Window.ts"
import { stepsOf } from "./Work.ts"

const rounds = 40

/** One load with the default threshold of messages, or with one that no conversation reaches. */
const load = (bench: Bench, isOn: boolean) =>
  Effect.gen(function*() {
    const { model, options: { quick, windows } } = bench
    const folder = yield* temporaryFolder
    const { database, environment } = yield* freshEnvironment(bench, `fake-r${rounds}-l0-m1`, folder)
    const subject = yield* startRunnable({
      role: "worker",
      environment: isOn ? { ...environment, COMPACTION_THRESHOLD: "12", MAX_RECENT_MESSAGES: "8" } : environment
    })
    yield* model.ask("arrivals", {})
    const measured = yield* measure(bench, subject, {
      database,
      concurrency: 16,
      windows,
      warmUp: quick ? 16 : 64,
      tasks: quick ? 16 : 120
    })
    const arrivals = yield* model.ask("arrivals", {})
    const tasks = new Set(arrivals.map(({ task }) => task).filter((task) => task >= 0)).size
    return { measured, calls: arrivals.length / tasks, cpu: Number(measured["node_cpu_ms_per_task"]) / stepsOf(rounds) }
  }).pipe(Effect.scoped)

/** Cost and gain of compaction in a long task: CPU per step and model calls, compared with none. */
export const compaction = (bench: Bench) =>
  Effect.gen(function*() {
    const off = yield* load(bench, false)
    const on = yield* load(bench, true)
    for (const [variant, { calls, cpu, measured }] of Object.entries({ off, on })) {
      print("compaction", {
        variant,
        rounds,
        ...measured,
        model_calls_per_task: round(calls),
        node_cpu_ms_per_step: round(cpu, 3),
        cpu_ratio: round(cpu / off.cpu)
      })
    }
  })
