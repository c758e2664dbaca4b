import type { UserId } from "@troupe/domain/Ids"
import { Cache, Duration, Effect, type Scope } from "effect"

/** How long a measured total is trusted. Other processes write too; what they add in this time is not seen. */
const trust = Duration.minutes(1)
const maxUsers = 10_000

/** Space of the users, kept within a limit. */
export interface Quota {
  /**
   * Sets `bytes` aside for the scope's time, or answers null when they don't fit; of two reservations at the edge one
   * fits. What was `settle`d stays counted after the scope; the rest is free again.
   */
  readonly reserve: (userId: UserId, bytes: number) => Effect.Effect<Reservation | null, never, Scope.Scope>
  readonly used: (userId: UserId) => Effect.Effect<number>
}

export interface Reservation {
  readonly settle: Effect.Effect<void>
}

interface Account {
  /** What was found at the last measurement and written since. */
  stored: number
  /** What is being written now. */
  pending: number
}

/** `measure` adds up what a user has stored. It is slow, so it is asked once a minute, and before anything is refused. */
export const makeQuota = (limit: number, measure: (userId: UserId) => Effect.Effect<number>): Effect.Effect<Quota> =>
  Effect.gen(function*() {
    const accounts = new Map<UserId, Account>()
    const account = (userId: UserId): Account => {
      const known = accounts.get(userId) ?? { stored: 0, pending: 0 }
      accounts.set(userId, known)
      return known
    }
    const measured = yield* Cache.make({
      capacity: maxUsers,
      timeToLive: trust,
      lookup: (userId: UserId) =>
        Effect.map(measure(userId), (stored) => {
          account(userId).stored = stored
        })
    })
    const fits = (userId: UserId, bytes: number) => {
      const { pending, stored } = account(userId)
      return bytes <= 0 || stored + pending + bytes <= limit
    }
    const take = (userId: UserId, bytes: number) =>
      Effect.gen(function*() {
        if (limit !== Infinity) {
          yield* measured.get(userId)
          if (!fits(userId, bytes)) yield* measured.refresh(userId)
          if (!fits(userId, bytes)) return null
        }
        const own = account(userId)
        own.pending += bytes
        return { own, open: true }
      })
    return {
      reserve: (userId, bytes) =>
        Effect.map(
          Effect.acquireRelease(take(userId, bytes), (taken) =>
            Effect.sync(() => {
              if (taken?.open === true) taken.own.pending -= bytes
            })),
          (taken) =>
            taken && {
              settle: Effect.sync(() => {
                taken.open = false
                taken.own.pending -= bytes
                taken.own.stored += bytes
              })
            }
        ),
      used: (userId) => Effect.map(measured.get(userId), () => account(userId).stored)
    }
  })
