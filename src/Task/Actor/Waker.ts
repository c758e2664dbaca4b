import type { TaskId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer, Option, Queue, Runtime, Schedule, Stream } from "effect"
import { bareRuntime } from "../../Runtime/HotPath.ts"
import { type Claim, Claims } from "../Claim/Claims.ts"
import { makeClaimWindow } from "../Claim/ClaimWindow.ts"
import { FirstClaims, type Reserve } from "../Claim/FirstClaims.ts"
import { Slots } from "../Claim/Slots.ts"
import { Draining } from "../Row/Draining.ts"
import { Shards } from "../Row/Shards.ts"
import { actorsActive } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import type { RunEnd } from "./ActorState.ts"
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
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const claims = yield* Claims
        const shards = yield* Shards
        const draining = yield* Draining
        const signals = yield* TaskSignals
        const actors = yield* TaskActors
        const runFork = Runtime.runFork(yield* bareRuntime)
        const slots = new Slots(settings.maxActive)
        yield* actorsActive(() => slots.used)
        const idle = yield* Effect.makeLatch(true)
        const scans = yield* Queue.sliding<void>(1)
        const requestScan = () => void scans.unsafeOffer(undefined)
        const window = makeClaimWindow()
        let lastUser = ""
        /** Due tasks wait for a slot; new ones queue behind them. */
        let hasBacklog = true
        /** How many slots the current scan may fill. */
        let asked = 0
        let scannedShards: ReadonlySet<number> = new Set()

        const release = (claim: Claim) => Effect.ensuring(claims.release([claim]), Effect.sync(window.reset))

        const free = (taskId: TaskId) => {
          if (slots.isFull) requestScan()
          slots.remove(taskId)
          if (slots.used === 0) idle.unsafeOpen()
        }

        const progressed = (claim: Claim) => {
          if (slots.progressed(claim)) requestScan()
        }

        const freeSlot = (claim: Claim) => {
          progressed(claim)
          free(claim.taskId)
        }

        const ended = (claim: Claim, end: RunEnd) => {
          if (end !== "released") return freeSlot(claim)
          runFork(Effect.ensuring(release(claim), Effect.sync(() => freeSlot(claim))))
        }

        const begin = (claim: Claim) =>
          Effect.suspend(() => {
            lastUser = claim.creator
            slots.add(claim)
            idle.unsafeClose()
            return actors.begin(claim, {
              ended: (end) => ended(claim, end),
              progressed: () => progressed(claim)
            })
          })

        /** A new task begins without a scan while no other one waits for a slot. */
        const reserve: Reserve = ({ creator, id, shard }) => {
          if (hasBacklog || draining.isDraining() || !shards.holds(shard) || !slots.reserve(id, creator, asked)) {
            return null
          }
          idle.unsafeClose()
          // A scan that began before the reservation may have claimed the task again: then it has the slot.
          const isReserved = () => slots.claimOf(id) === undefined
          return {
            begin: (claim) => {
              if (isReserved()) runFork(begin(claim))
            },
            cancel: () => {
              if (isReserved()) free(id)
            }
          }
        }
        yield* (yield* FirstClaims).offer(reserve)

        const claimDue = Effect.suspend(() => {
          if (slots.used >= settings.maxActive || draining.isDraining()) return Effect.void
          const owned = shards.owned()
          scannedShards = new Set(owned)
          return window.scan(owned, (since) => {
            const room = slots.room
            // The other half is for new tasks, which would otherwise wait for scans while one is under way.
            asked = Math.ceil(room.free / 2)
            const wanted = { ...room, free: asked, after: lastUser, since }
            return Effect.flatMap(claims.take(wanted), ({ claims: claimed, hasMore }) =>
              Effect.map(Effect.forEach(claimed, begin, { discard: true }), () => {
                const users = [...room.active.values(), ...claimed.map(creatorOf)]
                const isFilled = claimed.length >= wanted.free
                hasBacklog = hasMore || isFilled || slots.isFullWith(users)
                // A slot that was freed during the scan requested none, because it was not the last one then.
                if (hasBacklog && (hasMore || isFilled || !slots.isFull)) {
                  requestScan()
                }
                return hasMore ? "partial" as const : "exhaustive" as const
              })).pipe(Effect.ensuring(Effect.sync(() =>
                void (asked = 0)
              )))
          })
        })

        const interruptStale = Effect.suspend(() => claims.stale(slots.claims)).pipe(
          Effect.map((stale) =>
            stale.forEach((taskId) => {
              const claim = slots.claimOf(taskId)
              if (claim !== undefined) actors.interrupt(claim)
            })
          )
        )

        const retried = <E, R>(effect: Effect.Effect<void, E, R>) =>
          Effect.catchAllCause(effect, (cause) =>
            Effect.logWarning(
              `Claiming due tasks failed; next attempt in ${Duration.format(settings.pollInterval)}`,
              cause
            ).pipe(Effect.zipRight(Effect.sleep(settings.pollInterval))))

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
        yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(scans), retried(claimDue))))
        yield* Effect.forkScoped(
          Effect.sync(requestScan).pipe(
            Effect.zipRight(retried(interruptStale)),
            Effect.repeat(Schedule.spaced(settings.pollInterval))
          )
        )
        const scanGainedShards = Effect.sync(() => {
          if (shards.holdsMoreThan(scannedShards)) requestScan()
        })
        yield* Effect.forkScoped(Effect.repeat(scanGainedShards, Schedule.spaced(gainedShardsInterval)))
        // A finalizer is uninterruptible: without this, the time-outs below would wait for the tasks themselves.
        const settled = Effect.interruptible(idle.await)
        yield* Effect.addFinalizer(() =>
          Effect.gen(function*() {
            yield* draining.begin
            if (Option.isSome(yield* Effect.timeoutOption(settled, settings.grace))) return
            slots.claims.forEach(actors.interrupt)
            yield* Effect.timeoutOption(settled, "500 millis")
          })
        )
        return Waker.of({ active: () => slots.used })
      })
    )
}

const creatorOf = ({ creator }: Claim) => creator

const ownsAny = (owned: ReadonlyArray<number>, wanted: ReadonlySet<number>): boolean =>
  owned.some((shard) => wanted.has(shard))
