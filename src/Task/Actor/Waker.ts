import { Context, Duration, Effect, Layer, Option, Queue, Runtime, Schedule, Stream } from "effect"
import { bareRuntime } from "../../Runtime/HotPath.ts"
import { Claims } from "../Claim/Claims.ts"
import { FirstClaims } from "../Claim/FirstClaims.ts"
import { beforeScans, beginScan, endScan, failScan, forget, pauseAfter, type ScanState } from "../Claim/ScanState.ts"
import { Draining } from "../Row/Draining.ts"
import { isSuspect } from "../Row/ProcessDeaths.ts"
import { Shards } from "../Row/Shards.ts"
import { actorsActive } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { RunSlots } from "./RunSlots.ts"
import { TaskActors } from "./TaskActors.ts"

export interface WakerSettings {
  readonly maxActive: number
  readonly pollInterval: Duration.Duration
  /** How long a shutdown waits for the tasks to reach the end of their current steps. */
  readonly grace: Duration.Duration
}

const gainedShardsInterval = Duration.millis(250)

/**
 * Claims due tasks and begins their runs, at signals, when it gains shards, and every `pollInterval`. At the end of
 * its scope it waits at most `grace` for the current steps, and releases the rest.
 */
export class Waker extends Context.Tag("troupe/Task/Actor/Waker")<Waker, {
  readonly active: () => number
}>() {
  static readonly layer = (
    settings: WakerSettings
  ): Layer.Layer<Waker, never, Claims | FirstClaims | Shards | Draining | TaskSignals | TaskActors> =>
    Layer.scoped(this, make(settings))
}

const make = Effect.fnUntraced(function*({ grace, maxActive, pollInterval }: WakerSettings) {
  const claims = yield* Claims
  const shards = yield* Shards
  const draining = yield* Draining
  const signals = yield* TaskSignals
  const actors = yield* TaskActors
  const scans = yield* Queue.sliding<void>(1)
  const requestScan = () => void scans.unsafeOffer(undefined)
  let state: ScanState = beforeScans
  const change = (to: (state: ScanState) => ScanState) => {
    state = to(state)
    return state
  }
  const runs = new RunSlots({
    maxActive,
    actors,
    release: (claim) => Effect.ensuring(claims.release([claim]), Effect.sync(() => change(forget))),
    freed: requestScan,
    runFork: Runtime.runFork(yield* bareRuntime)
  })
  const { slots } = runs
  yield* actorsActive(() => slots.used)

  // A new task begins without a scan while no other one waits for a slot.
  yield* (yield* FirstClaims).offer((task) =>
    state.hasBacklog || draining.isDraining() || !shards.holds(task.shard)
      ? null
      : runs.reserve(task, state.scan?.asked ?? 0)
  )

  const scan = Effect.clockWith((clock) => {
    if (slots.used >= maxActive || draining.isDraining()) return Effect.void
    const { room } = slots
    const { after, scan } = change((state) =>
      beginScan(state, shards.owned(), room.free, clock.unsafeCurrentTimeNanos())
    )
    return claims.take({ ...room, ...scan, asked: scan?.asked ?? 0, after }).pipe(
      Effect.tap(({ claims }) => Effect.forEach(claims, (claim) => runs.begin(claim), { discard: true })),
      Effect.map((result) => {
        if (room.suspects?.isFirst === true && result.claims.every(({ deaths }) => !isSuspect(deaths))) {
          slots.forgetSuspects()
        }
        const users = [...room.active.values(), ...result.claims.map(({ creator }) => creator)]
        const { hasBacklog } = change((state) => endScan(state, result, slots.isFullWith(users)))
        // A slot that was freed during the scan requested none, because it was not the last one then.
        const isFilled = result.claims.length >= (scan?.asked ?? 0)
        if (hasBacklog && (result.hasMore || result.hasOrphans || isFilled || !slots.isFull)) requestScan()
      }),
      Effect.onError(() => Effect.sync(() => change(failScan)))
    )
  })

  const interruptStale = Effect.suspend(() => {
    const held = slots.claims
    return Effect.map(
      claims.stale(held),
      (stale) => runs.interrupt(held.filter(({ taskId }) => stale.includes(taskId)))
    )
  })

  const retried = <E, R>(effect: Effect.Effect<void, E, R>) =>
    Effect.catchAllCause(
      effect,
      (cause) =>
        Effect.logWarning(`Claiming due tasks failed; next attempt in ${Duration.format(pollInterval)}`, cause).pipe(
          Effect.zipRight(Effect.sleep(pollInterval))
        )
    )

  yield* signals.commands.pipe(
    Stream.runForEach((signal) => {
      switch (signal._tag) {
        case "Wake":
          return Effect.sync(() => {
            if (signal.shards === null || ownsAny(shards.owned(), signal.shards)) requestScan()
          })
        case "Revoked":
          // By now the task may have been retried and have been claimed again, which stays.
          return Array.from(signal.tasks).some((taskId) => slots.claimOf(taskId) !== undefined)
            ? retried(interruptStale)
            : Effect.void
      }
    }),
    Effect.forkScoped
  )
  yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(scans), retried(scan))))
  let active = { begun: -1, at: 0 }
  const pause = Effect.clockWith((clock) => {
    const now = clock.unsafeCurrentTimeMillis()
    if (slots.used > 0 || runs.begun !== active.begun) active = { begun: runs.begun, at: now }
    return Effect.sleep(pauseAfter(pollInterval, now - active.at))
  })
  yield* Effect.sync(requestScan).pipe(
    Effect.zipRight(retried(interruptStale)),
    Effect.zipRight(pause),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.sync(() => {
    if (shards.holdsMoreThan(state.shards)) requestScan()
  }).pipe(Effect.repeat(Schedule.spaced(gainedShardsInterval)), Effect.forkScoped)

  // A finalizer is uninterruptible: without this, the time-outs below would wait for the tasks themselves.
  const settled = Effect.interruptible(runs.settled)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      yield* draining.begin
      yield* actors.leave
      if (Option.isSome(yield* Effect.timeoutOption(settled, grace))) return
      runs.interrupt(slots.claims)
      yield* Effect.timeoutOption(settled, "500 millis")
    })
  )
  return Waker.of({ active: () => slots.used })
})

const ownsAny = (owned: ReadonlyArray<number>, wanted: ReadonlySet<number>): boolean =>
  owned.some((shard) => wanted.has(shard))
