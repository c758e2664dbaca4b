import type { UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Option, type Scope } from "effect"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import type { DiskUsage } from "./DiskUsage.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"
import type { Sharing } from "./SharedUsage.ts"

/** How long a measured total is used. What scripts write in this time is not counted. */
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
  /**
   * Runs the last check, the write and its `settle` alone among all processes, so that of two writes for the last space
   * one fits, wherever they run.
   */
  readonly exclusively: <A>(
    userId: UserId,
    write: Effect.Effect<A, SandboxRefused>
  ) => Effect.Effect<A, SandboxRefused>
  /** What was deleted counts no more. */
  readonly release: (userId: UserId, freed: DiskUsage) => Effect.Effect<void>
  readonly forget: (userId: UserId) => Effect.Effect<void>
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
  /** All that was settled: a measurement under way may have missed it. */
  added: DiskUsage
  measurements: number
  /** Counts the turns of this process, and whether one is under way. */
  turns: number
  hasTurn: boolean
  readonly turn: Effect.Semaphore
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
  measure: (userId: UserId) => Effect.Effect<DiskUsage>,
  shared: Sharing | null
): Effect.Effect<Quota> =>
  Effect.gen(function*() {
    const accounts = new Map<UserId, Account>()
    const account = (userId: UserId): Account => {
      const known = accounts.get(userId) ?? {
        stored: nothing,
        pending: nothing,
        growing: [],
        added: nothing,
        measurements: 0,
        turns: 0,
        hasTurn: false,
        turn: Effect.unsafeMakeSemaphore(1)
      }
      accounts.set(userId, known)
      return known
    }
    // Before a turn, another process may have written what a measurement from then has missed.
    const remeasure = (userId: UserId) =>
      Effect.suspend(() => {
        const own = account(userId)
        const { added, turns } = own
        return Effect.map(measure(userId), (stored) => {
          if (own.turns !== turns) return
          own.stored = plus(stored, minus(own.added, added))
          own.measurements += 1
        })
      })
    const measured = makeExpiringCache({
      capacity: maxUsers,
      timeToLive,
      lookup: (userId: UserId) => remeasure(userId)
    })
    const refresh = (userId: UserId) =>
      Effect.suspend(() => account(userId).hasTurn ? remeasure(userId) : measured.refresh(userId))
    const settle = (own: Account, usage: DiskUsage) => {
      own.stored = plus(own.stored, usage)
      own.added = plus(own.added, usage)
    }
    const alone = <A>(userId: UserId, write: Effect.Effect<A, SandboxRefused>, { exclusively }: Sharing) =>
      exclusively(userId, (known) =>
        Effect.gen(function*() {
          const own = account(userId)
          const { measurements } = own
          own.turns += 1
          own.hasTurn = true
          if (Option.isSome(known)) own.stored = known.value
          else yield* refresh(userId)
          const result = yield* write
          return { result, usage: own.stored, isMeasured: own.measurements > measurements }
        }).pipe(Effect.ensuring(Effect.sync(() => {
          account(userId).hasTurn = false
        }))))
    /** Whether `more` fits, which makes what is `wanted` complete. */
    const fits = (userId: UserId, more: DiskUsage, wanted: DiskUsage = more) => {
      const { growing, pending, stored } = account(userId)
      const held = growing.map((one) => one.held).reduce(plus, nothing)
      const { bytes, files } = plus(plus(stored, plus(pending, held)), more)
      return (wanted.bytes <= 0 || bytes <= limit.bytes) && (wanted.files <= 0 || files <= limit.files)
    }
    const take = (userId: UserId, wanted: DiskUsage) =>
      Effect.gen(function*() {
        if (limit.bytes !== Infinity) {
          yield* measured.get(userId)
          if (!fits(userId, wanted)) yield* refresh(userId)
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
        // Another process may have taken at the end what was free before.
        const needed = isFinal ? wanted : more
        if (limit.bytes !== Infinity) {
          yield* measured.get(userId)
          if (!fits(userId, more, needed)) yield* refresh(userId)
        }
        if (one.isLost) return false
        const later = own.growing.slice(own.growing.indexOf(one) + 1)
        if (!fits(userId, minus(more, later.map(({ held }) => held).reduce(plus, nothing)), needed)) return false
        while (!fits(userId, more, needed)) {
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
      // One turn for each user in this process, so that those who wait take no connections.
      exclusively: (userId, write) =>
        shared === null || limit.bytes === Infinity
          ? write
          : account(userId).turn.withPermits(1)(alone(userId, write, shared)),
      release: (userId, freed) =>
        Effect.sync(() => {
          const own = account(userId)
          const { bytes, files } = minus(own.stored, freed)
          own.stored = { bytes: Math.max(0, bytes), files: Math.max(0, files) }
        }),
      forget: (userId) =>
        Effect.suspend(() => {
          account(userId).stored = nothing
          return shared === null ? Effect.void : shared.forget(userId)
        }),
      grow: (userId) =>
        Effect.map(grow(userId), ({ one, own }) => ({
          resize: (wanted) => resize(userId, own, one, wanted, false),
          fix: (wanted) => resize(userId, own, one, wanted, true),
          settle: Effect.sync(() => {
            settle(own, one.held)
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
                settle(taken.own, wanted)
              })
            }
        ),
      used: (userId) => Effect.map(refresh(userId), () => account(userId).stored)
    }
  })
