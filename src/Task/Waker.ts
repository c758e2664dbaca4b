import type { TaskId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, FiberMap, Layer, Option, Queue, Schedule, Stream } from "effect"
import { type Claim, Claims } from "./Claims.ts"
import { Draining } from "./Draining.ts"
import { makeHorizon } from "./Horizon.ts"
import { isSuspect } from "./ProcessDeaths.ts"
import { Shards } from "./Shards.ts"
import { TaskActors } from "./TaskActors.ts"
import { actorsActive } from "./TaskMetrics.ts"
import { TaskSignals } from "./TaskSignals.ts"

export interface WakerSettings {
  /** The most tasks that have an actor here at a time. */
  readonly maxActive: number
  readonly pollInterval: Duration.Duration
}

/** How much of the places one user may hold, so that a flood of one leaves room for the others. */
const shareOfOneUser = 0.75

/** How often it looks whether this runner has gained shards: their due tasks may have waited for long already. */
const shardLook = Duration.millis(250)

/** How long a shutdown waits for actors to reach the end of the step in hand. */
const grace = Duration.millis(1500)

/**
 * Wakes the due tasks of this runner's shards, a bounded number at a time, oldest first and fair between users:
 * told by hints, by shards that it gains, and by looking every `pollInterval`. At the end of its scope it drains:
 * takes no more tasks, waits a moment for those in hand to finish their step, and hands them all back. Of the suspects
 * (see ProcessDeaths) it runs one at a time.
 */
export class Waker extends Context.Tag("troupe/Task/Waker")<Waker, {
  readonly active: () => number
}>() {
  static readonly layer = (
    settings: WakerSettings
  ): Layer.Layer<Waker, never, Claims | Shards | Draining | TaskSignals | TaskActors> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const claims = yield* Claims
        const shards = yield* Shards
        const draining = yield* Draining
        const signals = yield* TaskSignals
        const actors = yield* TaskActors
        const active = new Map<TaskId, Claim>()
        yield* actorsActive(() => active.size)
        const pokes = yield* Queue.sliding<void>(1)
        const poke = () => void pokes.unsafeOffer(undefined)
        /** How many of the places each user holds. */
        const held = new Map<string, number>()
        /** Tasks whose process ended during the step that they are at, until they get beyond it. */
        const recovering = new Map<TaskId, Claim>()
        const perUser = Math.max(1, Math.ceil(settings.maxActive * shareOfOneUser))
        const horizon = makeHorizon()
        let lastUser = ""
        /** The shards of the last look. */
        let known: ReadonlySet<number> = new Set()

        /** Something may be left that was not taken for want of a place. */
        const isFull = () => active.size >= settings.maxActive || hasFullShare(held)
        const hasFullShare = (places: ReadonlyMap<string, number>) =>
          Array.from(places.values()).some((n) => n >= perUser)

        const release = (claim: Claim) => Effect.ensuring(claims.release([claim]), Effect.sync(horizon.forget))

        const progressed = (claim: Claim) => {
          if (recovering.delete(claim.taskId) && isSuspect(claim.deaths)) poke()
        }

        const runActor = (claim: Claim) =>
          actors.wake(claim, () => progressed(claim)).pipe(
            Effect.flatMap((end) => end === "handed_over" ? release(claim) : Effect.void),
            Effect.onInterrupt(() => release(claim)),
            Effect.ensuring(Effect.sync(() => {
              const wasFull = isFull()
              active.delete(claim.taskId)
              held.set(claim.creator, (held.get(claim.creator) ?? 1) - 1)
              if (held.get(claim.creator) === 0) held.delete(claim.creator)
              progressed(claim)
              if (wasFull) poke()
            }))
          )
        const runs = yield* FiberMap.make<TaskId, void, never>()

        const begin = (claim: Claim) =>
          Effect.suspend(() => {
            lastUser = claim.creator
            held.set(claim.creator, (held.get(claim.creator) ?? 0) + 1)
            active.set(claim.taskId, claim)
            if (claim.deaths > 0) recovering.set(claim.taskId, claim)
            return FiberMap.run(runs, claim.taskId, runActor(claim))
          })

        const takeDue = Effect.gen(function*() {
          const free = settings.maxActive - active.size
          if (free <= 0 || draining.isDraining()) return
          const owned = shards.owned()
          known = new Set(owned)
          yield* horizon.look(owned, (since) =>
            Effect.gen(function*() {
              const places = new Map(held)
              const { claims: taken, hasMore } = yield* claims.take({
                free,
                perUser,
                after: lastUser,
                suspect: Array.from(recovering.values()).some(({ deaths }) => isSuspect(deaths))
                  ? null
                  : { isAlone: recovering.size === 0 },
                active: new Map(Array.from(active, ([id, claim]) => [id, claim.creator])),
                ...(since === undefined ? {} : { since })
              })
              for (const claim of taken) {
                places.set(claim.creator, (places.get(claim.creator) ?? 0) + 1)
                yield* begin(claim)
              }
              // A place that fell free while it looked told nobody, because it was not the last one then.
              if (hasMore || (taken.length === free || hasFullShare(places)) && !isFull()) poke()
              return hasMore ? "partial" as const : "exhaustive" as const
            }))
        })

        const interrupt = (taskId: TaskId) => Effect.forkDaemon(actors.interrupt(taskId))

        const interruptStale = Effect.suspend(() => claims.stale([...active.values()])).pipe(
          Effect.flatMap(Effect.forEach(interrupt, { discard: true }))
        )

        const quietly = <E, R>(effect: Effect.Effect<void, E, R>) =>
          Effect.catchAllCause(effect, (cause) =>
            Effect.logWarning("Looking for due tasks failed; it is tried again", cause).pipe(
              Effect.zipRight(Effect.sleep(settings.pollInterval))
            ))

        yield* signals.commands.pipe(
          Stream.runForEach((signal) => {
            switch (signal._tag) {
              case "Wake":
                return Effect.sync(() => {
                  if (signal.shards === null || ownsAny(shards.owned(), signal.shards)) {
                    poke()
                  }
                })
              case "Revoked":
                // By now the task may have been retried and have a new actor, which stays.
                return Array.from(signal.tasks).some((taskId) =>
                    active.has(taskId)
                  )
                  ? quietly(interruptStale)
                  : Effect.void
            }
          }),
          Effect.forkScoped
        )
        yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(pokes), quietly(takeDue))))
        yield* Effect.forkScoped(
          Effect.sync(poke).pipe(
            Effect.zipRight(quietly(interruptStale)),
            Effect.repeat(Schedule.spaced(settings.pollInterval))
          )
        )
        const lookAtGained = Effect.sync(() => {
          if (shards.holdsMoreThan(known)) poke()
        })
        yield* Effect.forkScoped(Effect.repeat(lookAtGained, Schedule.spaced(shardLook)))
        // A finalizer is uninterruptible, and there a time-out would wait for what it is to end.
        const settled = Effect.interruptible(FiberMap.awaitEmpty(runs))
        yield* Effect.addFinalizer(() =>
          Effect.gen(function*() {
            yield* draining.begin
            if (Option.isSome(yield* Effect.timeoutOption(settled, grace))) {
              return
            }
            yield* Effect.forEach(active.keys(), interrupt, { discard: true })
            yield* Effect.timeoutOption(settled, "500 millis")
          })
        )
        return Waker.of({
          active: () => active.size
        })
      })
    )
}

const ownsAny = (owned: ReadonlyArray<number>, wanted: ReadonlySet<number>): boolean =>
  owned.some((shard) => wanted.has(shard))
