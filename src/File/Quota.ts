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
  /**
   * A reservation of nothing that grows until the scope ends. Of two that don't fit together, the one that was made
   * first may grow: the other loses what it has reserved, and can't grow any more.
   */
  readonly grow: (userId: UserId) => Effect.Effect<GrowingReservation, never, Scope.Scope>
  readonly used: (userId: UserId) => Effect.Effect<DiskUsage>
}

export interface Reservation {
  readonly settle: Effect.Effect<void>
}

export interface GrowingReservation {
  /** Reserves `wanted` in place of what was reserved before; false: it does not fit. */
  readonly resize: (wanted: DiskUsage) => Effect.Effect<boolean>
  /** Reserves `wanted` as `resize` does, and no other reservation takes it away any more. */
  readonly fix: (wanted: DiskUsage) => Effect.Effect<boolean>
  /** What is reserved stays counted. Returns all that the user has then. */
  readonly settle: Effect.Effect<DiskUsage>
}

interface Growing {
  held: DiskUsage
  isLost: boolean
}

interface Account {
  stored: DiskUsage
  pending: DiskUsage
  /** In the order in which they were made. */
  readonly growing: Array<Growing>
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
      const known = accounts.get(userId) ?? { stored: nothing, pending: nothing, growing: [] }
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
      const { growing, pending, stored } = account(userId)
      const held = growing.map((one) => one.held).reduce(plus, nothing)
      const { bytes, files } = plus(plus(stored, plus(pending, held)), wanted)
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
    const lose = (own: Account, one: Growing) => {
      one.isLost = true
      one.held = nothing
      own.growing.splice(own.growing.indexOf(one), 1)
    }
    const resize = (userId: UserId, own: Account, one: Growing, wanted: DiskUsage, isFinal: boolean) =>
      Effect.gen(function*() {
        const more = minus(wanted, one.held)
        if (limit.bytes !== Infinity) {
          yield* measured.get(userId)
          if (!fits(userId, more)) yield* measured.refresh(userId)
        }
        if (one.isLost) return false
        const later = own.growing.slice(own.growing.indexOf(one) + 1)
        if (!fits(userId, minus(more, later.map(({ held }) => held).reduce(plus, nothing)))) return false
        while (!fits(userId, more)) {
          const last = later.pop()
          if (last === undefined) return false
          lose(own, last)
        }
        one.held = wanted
        // The first in the line yields to none.
        if (isFinal) own.growing.unshift(...own.growing.splice(own.growing.indexOf(one), 1))
        return true
      })
    const grow = (userId: UserId) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const own = account(userId)
          const one: Growing = { held: nothing, isLost: false }
          own.growing.push(one)
          return { own, one }
        }),
        ({ one, own }) => Effect.sync(() => one.isLost || lose(own, one))
      )
    return {
      grow: (userId) =>
        Effect.map(grow(userId), ({ one, own }) => ({
          resize: (wanted) => resize(userId, own, one, wanted, false),
          fix: (wanted) => resize(userId, own, one, wanted, true),
          settle: Effect.sync(() => {
            own.stored = plus(own.stored, one.held)
            lose(own, one)
            return own.stored
          })
        })),
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
