import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { asService, outsideTransaction } from "../Runtime/Database/Isolation.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { isUnavailable } from "../Runtime/Database/Sql.ts"
import type { DiskUsage } from "./DiskUsage.ts"

/** A user's files on disk, and when the measurement began, by the clock of the reservations. */
export interface Measured {
  readonly stored: DiskUsage
  readonly at: string
}

export interface ReservationKey {
  readonly id: string
  readonly userId: UserId
}

export interface ReservationStore {
  readonly now: Effect.Effect<string>
  /**
   * Reserves `wanted` in place of what was reserved under this key, if it fits beside what is on disk, what others have
   * reserved, and what was written since the measurement; where much more is free, it may reserve `aheadBytes` too.
   * Returns the bytes that are reserved. Null: it does not fit, and nothing is reserved any more.
   */
  readonly reserve: (key: ReservationKey, options: {
    readonly wanted: DiskUsage
    readonly aheadBytes: number
    readonly limit: DiskUsage
    readonly measured: Measured
  }) => Effect.Effect<number | null>
  /**
   * The file is in its place. Returns the bytes that were written since the measurement, with these. While the database is
   * unavailable it returns only these, and they count as reserved until the reservation expires.
   */
  readonly settle: (key: ReservationKey, usage: DiskUsage, measured: Measured) => Effect.Effect<number>
  readonly release: (key: ReservationKey) => Effect.Effect<void>
  readonly forget: (userId: UserId) => Effect.Effect<void>
}

/** The reservations of all processes with the same storage. Null: this process is the only one. */
export class Reservations extends Context.Reference<Reservations>()("troupe/File/Reservations", {
  defaultValue: (): ReservationStore | null => null
}) {
  static readonly layerShared: Layer.Layer<never, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, makeShared)
  )
}

interface Reservation {
  readonly usage: DiskUsage
  /** Null: the file is not in its place yet. */
  readonly settledAt: number | null
}

/** The reservations of one process. They need no statement, so nothing is reserved ahead. */
export const makeOwn = (): ReservationStore => {
  const users = new Map<UserId, Map<string, Reservation>>()
  let time = 0
  const reservationsOf = (userId: UserId) => {
    const known = users.get(userId) ?? new Map<string, Reservation>()
    users.set(userId, known)
    return known
  }
  const isMeasured = ({ settledAt }: Reservation, { at }: Measured) => settledAt !== null && settledAt < Number(at)
  return {
    now: Effect.sync(() => `${++time}`),
    reserve: ({ id, userId }, { limit, measured, wanted }) =>
      Effect.sync(() => {
        const all = reservationsOf(userId)
        let { bytes, files } = measured.stored
        for (const [other, one] of all) {
          if (other === id || isMeasured(one, measured)) all.delete(other)
          else {
            bytes += one.usage.bytes
            files += one.usage.files
          }
        }
        const fits = (wanted.bytes <= 0 || bytes + wanted.bytes <= limit.bytes)
          && (wanted.files <= 0 || files + wanted.files <= limit.files)
        if (fits) all.set(id, { usage: wanted, settledAt: null })
        return fits ? wanted.bytes : null
      }),
    settle: ({ id, userId }, usage, measured) =>
      Effect.sync(() => {
        const all = reservationsOf(userId).set(id, { usage, settledAt: ++time })
        const written = [...all.values()].filter((one) => one.settledAt !== null && !isMeasured(one, measured))
        return written.reduce((sum, { usage }) => sum + usage.bytes, 0)
      }),
    release: ({ id, userId }) => Effect.sync(() => void reservationsOf(userId).delete(id)),
    forget: (userId) => Effect.sync(() => void users.delete(userId))
  }
}

/** A write waits so long for a database that restarts, until its file is in its place. Each operation may be repeated. */
const outage = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurUpTo("30 seconds"))

/**
 * Each operation is one statement, so that a frozen process holds no lock; rows of a killed one expire. Settled rows expire
 * after any measurement that does not contain their file.
 */
function makeShared(sql: SqlClient): ReservationStore {
  const once = <A>(statement: Effect.Effect<A, SqlError>) =>
    Effect.uninterruptible(asService(outsideTransaction(statement)))
  const run = <A>(statement: Effect.Effect<A, SqlError>) =>
    Effect.retry(once(statement), { schedule: outage, while: isUnavailable })
  const row = <A, I>(schema: Schema.Schema<A, I>, statement: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
    theRow(rowsOf(schema)(statement))
  // The result of the write is known by then, and a reservation that stays expires: nobody waits, and nothing fails.
  const end = <A>(statement: Effect.Effect<A, SqlError>, otherwise: A) =>
    Effect.catchAll(
      once(statement),
      (error) =>
        Effect.as(Effect.logWarning("Ending a quota reservation failed; it expires in 2 minutes", error), otherwise)
    )
  return {
    now: Effect.map(
      row(Schema.Struct({ now: Schema.String }), run(sql`select clock_timestamp()::text as now`)),
      ({ now }) => now
    ),
    reserve: ({ id, userId }, { aheadBytes, limit, measured: { at, stored }, wanted }) =>
      Effect.map(
        row(
          Schema.Struct({ bytes: Schema.NullOr(Schema.Number) }),
          run(sql`select reserve_files(${id}::uuid, ${userId}, ${wanted.bytes}, ${wanted.files}, ${aheadBytes},
  ${stored.bytes}, ${stored.files}, ${limit.bytes}, ${limit.files}, ${at}::timestamptz) as bytes`)
        ),
        ({ bytes }) => bytes
      ),
    settle: ({ id, userId }, { bytes, files }, { at }) =>
      Effect.map(
        row(
          Schema.Struct({ bytes: Schema.Number }),
          end(
            sql`with settled as (
  update file_reservations set bytes = ${bytes}, files = ${files}, settled_at = clock_timestamp(),
    expires_at = clock_timestamp() + interval '2 minutes' where id = ${id}::uuid
)
select ${bytes}::float8 + coalesce(sum(bytes), 0) as bytes from file_reservations
where user_id = ${userId} and id <> ${id}::uuid and settled_at >= ${at}::timestamptz and expires_at >= clock_timestamp()`,
            [{ bytes }]
          )
        ),
        (written) => written.bytes
      ),
    release: ({ id }) => Effect.asVoid(end(sql`delete from file_reservations where id = ${id}::uuid`, [])),
    forget: (userId) => Effect.asVoid(Effect.orDie(run(sql`delete from file_reservations where user_id = ${userId}`)))
  }
}
