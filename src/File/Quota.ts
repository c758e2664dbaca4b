import type { UserId } from "@troupe/domain/Ids"
import { Clock, Duration, Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import type { DiskUsage } from "./DiskUsage.ts"
import type { Measured, ReservationStore } from "./Reservations.ts"

/** How long a measurement is used. What scripts write in this time is not counted. */
const timeToLive = Duration.minutes(1)
const maxUsers = 10_000

/** A reservation is renewed when it is used after this time, long before it expires. */
const renewMillis = 30_000

const nothing: DiskUsage = { bytes: 0, files: 0 }

export interface Quota {
  /** A reservation that grows until the scope ends. Of two that don't fit together, the one that needs too much ends. */
  readonly reserve: (userId: UserId) => Effect.Effect<QuotaReservation, never, Scope.Scope>
  readonly used: (userId: UserId) => Effect.Effect<DiskUsage>
  /** All files of the user were deleted. */
  readonly forget: (userId: UserId) => Effect.Effect<void>
}

export interface QuotaReservation {
  /**
   * Reserves `wanted` in place of what was reserved before, and `aheadBytes` too where much more is free, so that not
   * every chunk of a file asks. False: it does not fit, and nothing is reserved any more.
   */
  readonly resize: (wanted: DiskUsage, aheadBytes?: number) => Effect.Effect<boolean>
  /**
   * The file was put in its place after the last `resize` and takes `usage`, which stays counted. Returns all bytes that
   * the user has then; while the database is unavailable, without what else was written in the last minute.
   */
  readonly settle: (usage: DiskUsage) => Effect.Effect<number>
}

/** `measure` is slow, so it runs once a minute for a user, and before anything is refused. */
export const makeQuota = (
  limit: DiskUsage,
  measure: (userId: UserId) => Effect.Effect<DiskUsage>,
  store: ReservationStore
): Quota => {
  const measurements = makeExpiringCache({
    capacity: maxUsers,
    timeToLive,
    lookup: (userId: UserId): Effect.Effect<Measured> =>
      Effect.flatMap(store.now, (at) => Effect.map(measure(userId), (stored) => ({ at, stored })))
  })

  const makeReservation = (userId: UserId) => {
    const key = { id: randomUUID(), userId }
    let held = nothing
    let heldAt = 0
    let basis: Measured | null = null
    let isSettled = false

    const resize = Effect.fnUntraced(function*({ bytes, files }: DiskUsage, aheadBytes = 0) {
      const wanted = { bytes: Math.max(0, bytes), files: Math.max(0, files) }
      const now = yield* Clock.currentTimeMillis
      const isHeld = wanted.bytes <= held.bytes && wanted.files <= held.files
      if (aheadBytes > 0 && isHeld && now < heldAt + renewMillis) return true
      const attempt = (measured: Measured) =>
        Effect.map(store.reserve(key, { wanted, aheadBytes, limit, measured }), (bytes) => {
          held = bytes === null ? nothing : { bytes, files: wanted.files }
          heldAt = now
          basis = measured
          return bytes !== null
        })
      return (yield* attempt(yield* measurements.get(userId)))
        || (yield* attempt(yield* measurements.refresh(userId)))
    })
    // A measurement of now would find the file that is in its place, and count it twice.
    const settle = (usage: DiskUsage) =>
      Effect.suspend(() => {
        if (basis === null) return Effect.dieMessage("A reservation was settled before it was resized")
        const { stored } = basis
        isSettled = true
        return Effect.map(store.settle(key, usage, basis), (written) => stored.bytes + written)
      })
    return { resize, settle, end: Effect.suspend(() => isSettled ? Effect.void : store.release(key)) }
  }

  return {
    reserve: (userId) => Effect.acquireRelease(Effect.sync(() => makeReservation(userId)), ({ end }) => end),
    used: measure,
    forget: (userId) => Effect.zipRight(measurements.forget(userId), store.forget(userId))
  }
}
