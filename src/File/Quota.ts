import type { UserId } from "@troupe/domain/Ids"
import { Duration, Effect, type Scope } from "effect"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import type { DiskUsage } from "./DiskUsage.ts"

/** How long a measured total is used. What other processes write in this time is not counted. */
const timeToLive = Duration.minutes(1)
const maxUsers = 10_000

export interface Quota {
  /**
   * Reserves `wanted` until the scope ends, or returns null when it does not fit; of two reservations for the last space
   * one fits. What was `settle`d stays counted after the scope; the rest is free again.
   */
  readonly reserve: (userId: UserId, wanted: DiskUsage) => Effect.Effect<Reservation | null, never, Scope.Scope>
  readonly used: (userId: UserId) => Effect.Effect<DiskUsage>
}

export interface Reservation {
  readonly settle: Effect.Effect<void>
}

interface Account {
  stored: DiskUsage
  pending: DiskUsage
}

const nothing: DiskUsage = { bytes: 0, files: 0 }

const plus = (one: DiskUsage, other: DiskUsage): DiskUsage => ({
  bytes: one.bytes + other.bytes,
  files: one.files + other.files
})

const minus = (one: DiskUsage, other: DiskUsage): DiskUsage => plus(one, { bytes: -other.bytes, files: -other.files })

/** `measure` is slow, so it runs once a minute for a user, and before anything is refused. */
export const makeQuota = (
  limit: DiskUsage,
  measure: (userId: UserId) => Effect.Effect<DiskUsage>
): Effect.Effect<Quota> =>
  Effect.gen(function*() {
    const accounts = new Map<UserId, Account>()
    const account = (userId: UserId): Account => {
      const known = accounts.get(userId) ?? { stored: nothing, pending: nothing }
      accounts.set(userId, known)
      return known
    }
    const measured = makeExpiringCache({
      capacity: maxUsers,
      timeToLive,
      lookup: (userId: UserId) =>
        Effect.map(measure(userId), (stored) => {
          account(userId).stored = stored
        })
    })
    const fits = (userId: UserId, wanted: DiskUsage) => {
      const { pending, stored } = account(userId)
      const { bytes, files } = plus(plus(stored, pending), wanted)
      return (wanted.bytes <= 0 || bytes <= limit.bytes) && (wanted.files <= 0 || files <= limit.files)
    }
    const take = (userId: UserId, wanted: DiskUsage) =>
      Effect.gen(function*() {
        if (limit.bytes !== Infinity) {
          yield* measured.get(userId)
          if (!fits(userId, wanted)) yield* measured.refresh(userId)
          if (!fits(userId, wanted)) return null
        }
        const own = account(userId)
        own.pending = plus(own.pending, wanted)
        return { own, open: true }
      })
    return {
      reserve: (userId, wanted) =>
        Effect.map(
          Effect.acquireRelease(take(userId, wanted), (taken) =>
            Effect.sync(() => {
              if (taken?.open === true) taken.own.pending = minus(taken.own.pending, wanted)
            })),
          (taken) =>
            taken && {
              settle: Effect.sync(() => {
                taken.open = false
                taken.own.pending = minus(taken.own.pending, wanted)
                taken.own.stored = plus(taken.own.stored, wanted)
              })
            }
        ),
      used: (userId) => Effect.map(measured.refresh(userId), () => account(userId).stored)
    }
  })
