import { Effect, Scheduler } from "effect"
import { performance } from "node:perf_hooks"

/** Lets sockets and timers run first, which `Effect.yieldNow` does not. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** How long fibers run before sockets and timers are served. */
const sliceMillis = 5

/**
 * Runs fibers in slices of a few milliseconds, between which the process serves its sockets and timers. Effect's own
 * scheduler serves them only once no fiber is ready. For work that comes in bursts and is not urgent.
 */
export const makeSlicedScheduler = (): Scheduler.Scheduler => {
  let ready: Array<Scheduler.Task> = []
  let isPlanned = false
  const plan = () => {
    isPlanned = true
    setImmediate(runSlice)
  }
  const runSlice = () => {
    const end = performance.now() + sliceMillis
    const tasks = ready
    ready = []
    let done = 0
    while (done < tasks.length && performance.now() < end) tasks[done++]?.()
    if (done < tasks.length) ready = [...tasks.slice(done), ...ready]
    if (ready.length > 0) plan()
    else isPlanned = false
  }
  return Scheduler.make((task) => {
    ready.push(task)
    if (!isPlanned) plan()
  })
}
