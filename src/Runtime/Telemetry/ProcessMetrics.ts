import { Effect, Layer } from "effect"
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks"
import { gauge, total } from "./Metrics.ts"

const cpuSeconds = total("troupe_process_cpu_seconds", "CPU time that the process has used.")
const residentBytes = gauge("troupe_process_resident_memory_bytes", "Memory that the process holds.")
const heapBytes = gauge("troupe_process_heap_used_bytes", "Memory that JavaScript objects take.")
const busySeconds = total("troupe_process_event_loop_busy_seconds", "Time in which the event loop was not idle.")
const delaySeconds = gauge(
  "troupe_process_event_loop_delay_seconds",
  "Delay of the event loop since the last scrape.",
  { of: ["mean", "p99", "max"] }
)
const startSeconds = gauge("troupe_process_start_time_seconds", "When the process began, in seconds since 1970.")

const resolution = 20

/** A delay includes the time between two samples. Without samples it is not a number. */
const seconds = (nanos: number): number => Number.isNaN(nanos) ? 0 : Math.max(0, nanos / 1e9 - resolution / 1000)

const busy = ({ active }: EventLoopUtilization): number => active / 1000

export const layer: Layer.Layer<never> = Layer.scopedDiscard(Effect.gen(function*() {
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => monitorEventLoopDelay({ resolution })),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  yield* cpuSeconds(() => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  })
  yield* residentBytes(() => process.memoryUsage.rss())
  yield* heapBytes(() => process.memoryUsage().heapUsed)
  yield* busySeconds(() => busy(performance.eventLoopUtilization()))
  yield* startSeconds(() => performance.timeOrigin / 1000)
  yield* delaySeconds(() => {
    // Starts at the first scrape, so that an idle process without scrapes has no timer.
    delays.enable()
    return seconds(delays.mean)
  }, { of: "mean" })
  yield* delaySeconds(() => seconds(delays.percentile(99)), { of: "p99" })
  yield* delaySeconds(() => {
    const max = seconds(delays.max)
    // It is read last, so it can be reset here.
    delays.reset()
    return max
  }, { of: "max" })
}))
