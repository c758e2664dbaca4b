import { type Duration, Effect, Layer, type Scope } from "effect"
import { Session } from "node:inspector"
import { performance } from "node:perf_hooks"

/** How much of an interval the event loop may be busy in an idle process: a collection stops it for about 0.1 s. */
const idleUtilization = 0.1

/** How much memory a process takes again, after a collection, before it is worth another one. */
const regrowth = 32 * 1_024 * 1_024

/** One session for all collections: node hangs if a session is disconnected in the callback of its own command. */
const openSession: Effect.Effect<Session, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const session = new Session()
    session.connect()
    return session
  }),
  (session) => Effect.sync(() => session.disconnect())
)

/** V8 then gives unused memory back to the system. After `gc()` it keeps a young generation of up to 128 MB. */
const collect = (session: Session): Effect.Effect<void> =>
  Effect.async((resume) => session.post("HeapProfiler.collectGarbage", () => resume(Effect.void)))

/**
 * Collects garbage while the process is idle: after its start, and after load. V8 itself collects only when objects are
 * allocated, so an idle process would keep the memory of its busiest time.
 */
export const layer = (options: { readonly interval: Duration.DurationInput }): Layer.Layer<never> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const session = yield* openSession
    let before = performance.eventLoopUtilization()
    let collected = 0
    const collectIfIdle = Effect.gen(function*() {
      const { utilization } = performance.eventLoopUtilization(before)
      before = performance.eventLoopUtilization()
      if (utilization > idleUtilization || process.memoryUsage.rss() < collected + regrowth) return
      yield* collect(session)
      collected = process.memoryUsage.rss()
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(collectIfIdle, options.interval)))
  }))

const collectEvery = 8 * 1_024 * 1_024

let dropped = 0

/** V8 lets 64 MB of dropped buffers accumulate; with `--expose-gc`, the young generation is collected every 8 MiB. */
export const bufferDropped = (bytes: number): void => {
  dropped += bytes
  if (dropped < collectEvery) return
  dropped = 0
  globalThis.gc?.({ type: "minor" })
}
