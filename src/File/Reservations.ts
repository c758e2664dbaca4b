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
   * reserved, and what was written since the measurement. Otherwise it reserves nothing any more.
   */
  readonly reserve: (
    key: ReservationKey,
    options: { readonly wanted: DiskUsage; readonly limit: DiskUsage; readonly measured: Measured }
  ) => Effect.Effect<boolean>
  /** The file is in its place. Returns the bytes that were written since the measurement, with these. */
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

/** The reservations of one process. */
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
        return fits
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

/** A write waits so long for a database that restarts. Each operation may be repeated. */
const outage = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurUpTo("30 seconds"))

/** Each operation is one statement, so that a frozen process holds no lock; rows of a killed one expire. */
function makeShared(sql: SqlClient): ReservationStore {
  const run = <A>(statement: Effect.Effect<A, SqlError>) =>
    Effect.retry(Effect.uninterruptible(asService(outsideTransaction(statement))), {
      schedule: outage,
      while: isUnavailable
    })
  const row = <A, I>(schema: Schema.Schema<A, I>, statement: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
    theRow(rowsOf(schema)(run(statement)))
  const done = (statement: Effect.Effect<unknown, SqlError>) => Effect.asVoid(Effect.orDie(run(statement)))
  return {
    now: Effect.map(
      row(Schema.Struct({ now: Schema.String }), sql`select clock_timestamp()::text as now`),
      ({ now }) => now
    ),
    reserve: ({ id, userId }, { limit, measured: { at, stored }, wanted }) =>
      Effect.map(
        row(
          Schema.Struct({ fits: Schema.Boolean }),
          sql`select reserve_files(${id}::uuid, ${userId}, ${wanted.bytes}, ${wanted.files}, ${stored.bytes},
  ${stored.files}, ${limit.bytes}, ${limit.files}, ${at}::timestamptz) as fits`
        ),
        ({ fits }) => fits
      ),
    settle: ({ id, userId }, { bytes, files }, { at }) =>
      Effect.map(
        row(
          Schema.Struct({ bytes: Schema.Number }),
          sql`with settled as (
  update file_reservations set bytes = ${bytes}, files = ${files}, settled_at = clock_timestamp(),
    expires_at = clock_timestamp() + interval '5 minutes' where id = ${id}::uuid
)
select ${bytes}::float8 + coalesce(sum(bytes), 0) as bytes from file_reservations
where user_id = ${userId} and id <> ${id}::uuid and settled_at >= ${at}::timestamptz`
        ),
        (written) => written.bytes
      ),
    release: ({ id }) => done(sql`delete from file_reservations where id = ${id}::uuid`),
    forget: (userId) => done(sql`delete from file_reservations where user_id = ${userId}`)
  }
}
