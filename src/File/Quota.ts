import type { UserId } from "@troupe/domain/Ids"
import { Clock, Duration, Effect, Option, type Scope } from "effect"
import { v7 } from "uuid"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import type { DiskUsage } from "./DiskUsage.ts"
import {
  atLeastNothing,
  countedFor,
  type Growing,
  isWithin,
  minus,
  nothing,
  plus,
  type QuotaAccount,
  sum,
  times
} from "./QuotaAccount.ts"
import type { SharedCount } from "./SharedReservations.ts"

/** How long a measured total is used. What scripts write in this time is not counted. */
const timeToLive = Duration.minutes(1)
const maxUsers = 10_000

/** The part of a quota that a process reserves in a minute without asking the others, while less than half is used. */
const unsharedPart = 1 / 64

/** A growing reservation asks for so much more than it needs, so that it does not ask for each piece. */
const step: DiskUsage = { bytes: 1_048_576, files: 0 }

/** A shared reservation is renewed when it is used after this time, long before it expires. */
const renewMillis = 30_000

export interface Quota {
  /**
   * Reserves `wanted` until the scope ends; null: it does not fit. Of two for the last space one fits, in whatever
   * processes. What was `settle`d stays counted. Small reservations far from the limit are not shared, so each other
   * process can exceed it by 1/32; without the database, each process counts its own.
   */
  readonly reserve: (userId: UserId, wanted: DiskUsage) => Effect.Effect<Reservation | null, never, Scope.Scope>
  /** A reservation that grows. Of two that don't fit together the earlier may grow; the other loses its space. */
  readonly grow: (userId: UserId) => Effect.Effect<GrowingReservation, never, Scope.Scope>
  readonly used: (userId: UserId) => Effect.Effect<DiskUsage>
  /** All files of the user were deleted. */
  readonly forget: (userId: UserId) => Effect.Effect<void>
}

export interface Reservation {
  /** What is reserved stays counted. Returns all that the user has then. */
  readonly settle: Effect.Effect<DiskUsage>
}

export interface GrowingReservation extends Reservation {
  /** Reserves `wanted` in place of what was reserved before; false: it does not fit. */
  readonly resize: (wanted: DiskUsage) => Effect.Effect<boolean>
  /** Reserves `wanted` as `resize` does, and no other reservation takes it away any more. */
  readonly fix: (wanted: DiskUsage) => Effect.Effect<boolean>
}

/** `measure` is slow, so it runs once a minute for a user, and before anything is refused. */
export const makeQuota = (
  limit: DiskUsage,
  measure: (userId: UserId) => Effect.Effect<DiskUsage>,
  shared: SharedCount | null
): Effect.Effect<Quota> =>
  Effect.gen(function*() {
    const accounts = new Map<UserId, QuotaAccount>()
    const account = (userId: UserId): QuotaAccount => {
      const known = accounts.get(userId) ?? {
        stored: nothing,
        measuredAt: "-infinity",
        added: nothing,
        growing: [],
        unshared: nothing,
        unsharedSince: 0
      }
      accounts.set(userId, known)
      return known
    }
    const measured = makeExpiringCache({
      capacity: maxUsers,
      timeToLive,
      lookup: (userId: UserId) =>
        Effect.gen(function*() {
          const own = account(userId)
          const { added } = own
          const now = shared === null ? Option.none() : yield* shared.now
          const stored = yield* measure(userId)
          own.stored = plus(stored, minus(own.added, added))
          own.measuredAt = Option.getOrElse(now, () => "-infinity")
        })
    })
    const fits = ({ growing, stored }: QuotaAccount, wanted: DiskUsage) => {
      const { bytes, files } = plus(plus(stored, sum(growing)), wanted)
      return (wanted.bytes <= 0 || bytes <= limit.bytes) && (wanted.files <= 0 || files <= limit.files)
    }
    const lose = (own: QuotaAccount, one: Growing) => {
      one.isLost = true
      one.held = nothing
      own.growing.splice(own.growing.indexOf(one), 1)
    }

    const isSmall = (own: QuotaAccount, more: DiskUsage, now: number) => {
      if (now >= own.unsharedSince + Duration.toMillis(timeToLive)) {
        own.unshared = nothing
        own.unsharedSince = now
      }
      const unshared = plus(own.unshared, atLeastNothing(more))
      const isFar = isWithin(plus(own.stored, sum(own.growing)), times(limit, 1 / 2))
      if (!isFar || !isWithin(unshared, times(limit, unsharedPart))) return false
      own.unshared = unshared
      return true
    }
    /** Whether what is held fits beside what the other processes have reserved. */
    const agree = Effect.fnUntraced(function*(
      { ask, more, own, userId }: { ask: SharedCount; more: DiskUsage; own: QuotaAccount; userId: UserId },
      one: Growing,
      isFinal: boolean
    ) {
      const now = yield* Clock.currentTimeMillis
      const held = atLeastNothing(one.held)
      if (one.shared === null && (isWithin(held, nothing) || isSmall(own, more, now))) return true
      if (!isFinal && one.shared !== null && isWithin(held, one.shared) && now < one.sharedAt + renewMillis) return true
      const attempt = (ahead: DiskUsage) =>
        Effect.suspend(() => {
          const wanted = plus(held, ahead)
          const counted = plus(countedFor(own, one), ahead)
          const { measuredAt } = own
          return Effect.map(
            ask.reserve({ id: one.id, userId, wanted, counted, limit, measuredAt, isFinal }),
            (fits) => {
              if (Option.getOrElse(fits, () => false)) {
                one.shared = wanted
                one.sharedAt = now
              }
              return Option.getOrElse(fits, () => true)
            }
          )
        }).pipe(Effect.uninterruptible)
      if (!isFinal && (yield* attempt(step))) return true
      if (yield* attempt(nothing)) return true
      yield* measured.refresh(userId)
      return yield* attempt(nothing)
    })

    const resize = (userId: UserId, own: QuotaAccount, one: Growing, wanted: DiskUsage, isFinal: boolean) =>
      Effect.gen(function*() {
        const { held } = one
        const more = minus(wanted, held)
        if (limit.bytes !== Infinity) {
          yield* measured.get(userId)
          if (!fits(own, more)) yield* measured.refresh(userId)
        }
        if (one.isLost) return false
        const later = own.growing.slice(own.growing.indexOf(one) + 1)
        if (!fits(own, minus(more, sum(later)))) return false
        while (!fits(own, more)) {
          const last = later.pop()
          if (last === undefined) return false
          lose(own, last)
        }
        one.held = wanted
        if (isFinal) {
          own.growing.splice(own.growing.indexOf(one), 1)
          own.growing.splice(own.growing.filter(({ isFixed }) => isFixed).length, 0, one)
          one.isFixed = true
        }
        if (shared === null || limit.bytes === Infinity) return true
        const isAgreed = yield* agree({ ask: shared, more, own, userId }, one, isFinal)
        if (!isAgreed && !one.isLost) one.held = held
        return isAgreed && !one.isLost
      })
    const inShared = (one: Growing, use: (count: SharedCount) => Effect.Effect<void>) =>
      Effect.suspend(() => shared === null || one.shared === null ? Effect.void : use(shared))
    const grow = (userId: UserId) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const own = account(userId)
          const one: Growing = {
            id: v7(),
            held: nothing,
            isLost: false,
            isFixed: false,
            isSettled: false,
            shared: null,
            sharedAt: 0
          }
          own.growing.push(one)
          return { own, one }
        }),
        ({ one, own }) =>
          Effect.suspend(() => {
            if (one.isSettled) return Effect.void
            if (!one.isLost) lose(own, one)
            return inShared(one, (count) => count.release(one.id))
          })
      ).pipe(Effect.map(({ one, own }): GrowingReservation => ({
        resize: (wanted) => resize(userId, own, one, wanted, false),
        fix: (wanted) => resize(userId, own, one, wanted, true),
        settle: Effect.suspend(() => {
          const { held } = one
          own.stored = plus(own.stored, held)
          own.added = plus(own.added, held)
          one.isSettled = true
          lose(own, one)
          return Effect.as(inShared(one, (count) => count.settle(one.id, held)), own.stored)
        })
      })))
    return {
      grow,
      reserve: (userId, wanted) =>
        Effect.flatMap(grow(userId), (one) => Effect.map(one.fix(wanted), (isReserved) => isReserved ? one : null)),
      used: (userId) => Effect.map(measured.refresh(userId), () => account(userId).stored),
      forget: (userId) =>
        Effect.zipRight(measured.forget(userId), shared === null ? Effect.void : shared.forget(userId))
    }
  })
