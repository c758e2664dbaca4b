import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { UserId } from "@troupe/domain/Ids"
import { Clock, Context, Effect, Fiber, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { asService, outsideTransaction } from "../Runtime/Database/Isolation.ts"
import type { DiskUsage } from "./DiskUsage.ts"

export interface SharedReservation {
  /** A UUIDv7: the earlier of two that grow comes first. */
  readonly id: string
  readonly userId: UserId
  readonly wanted: DiskUsage
  /** All that this process counts for the user, with what is wanted. */
  readonly counted: DiskUsage
  readonly limit: DiskUsage
  /** When this process began to measure the disk, by the database's clock. */
  readonly measuredAt: string
  /** Nothing that is reserved later takes it away. */
  readonly isFinal: boolean
}

/**
 * Reservations of all processes with the same storage. Each operation is one statement, so no lock is held during a
 * write. None: the database is unavailable, and each process counts for itself.
 */
export interface SharedCount {
  readonly now: Effect.Effect<Option.Option<string>>
  readonly reserve: (reservation: SharedReservation) => Effect.Effect<Option.Option<boolean>>
  /** The file is in its place; the row is kept until all processes have measured the disk again. */
  readonly settle: (id: string, usage: DiskUsage) => Effect.Effect<void>
  readonly release: (id: string) => Effect.Effect<void>
  readonly forget: (userId: UserId) => Effect.Effect<void>
}

/** Null: this process is the only one with its storage. */
export class SharedReservations extends Context.Reference<SharedReservations>()("troupe/File/SharedReservations", {
  defaultValue: (): SharedCount | null => null
}) {
  static readonly layer: Layer.Layer<SharedReservations, never, SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient, makeShared)
  )
}

/** For so long no statement is sent to a database that was unavailable. */
const pauseMillis = 5_000

function makeShared(sql: SqlClient): SharedCount {
  const holder = randomUUID()
  let pausedUntil = 0
  let isUnavailable = false

  const available = Effect.suspend(() => {
    if (!isUnavailable) return Effect.void
    isUnavailable = false
    return Effect.logInfo("The database is available again; all processes count users' files together")
  })
  const failed = (cause: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      pausedUntil = now + pauseMillis
      if (isUnavailable) return Effect.void
      isUnavailable = true
      return Effect.logWarning(
        "Counting users' files in the database failed; until it is available, this process counts by itself",
        cause
      )
    })

  const ask = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<Option.Option<A>> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now < pausedUntil
        ? Effect.succeedNone
        : statement.pipe(
          asService,
          outsideTransaction,
          Effect.timeout("2 seconds"),
          Effect.tap(available),
          Effect.asSome,
          Effect.catchAll((error) => Effect.as(failed(error), Option.none<A>())),
          // In a fiber of its own, so that the time-out ends it in a finalizer, and an interrupted upload releases its row.
          Effect.interruptible,
          Effect.forkDaemon,
          Effect.flatMap(Fiber.join)
        ))

  return {
    now: Effect.map(
      ask(sql`select clock_timestamp()::text as now`.pipe(Effect.flatMap((rows) => Effect.orDie(decodeNow(rows))))),
      Option.map(([{ now }]) => now)
    ),
    reserve: ({ counted, id, isFinal, limit, measuredAt, userId, wanted }) =>
      Effect.map(
        ask(
          sql`select reserve_files(${id}::uuid, ${userId}, ${holder}::uuid, ${wanted.bytes}, ${wanted.files},
  ${counted.bytes}, ${counted.files}, ${limit.bytes}, ${limit.files}, ${measuredAt}::timestamptz, ${isFinal}) as fits`
            .pipe(
              Effect.flatMap((rows) => Effect.orDie(decodeFits(rows)))
            )
        ),
        Option.map(([{ fits }]) => fits)
      ),
    settle: (id, { bytes, files }) =>
      Effect.asVoid(
        ask(sql`update file_reservations set bytes = ${bytes}, files = ${files}, settled_at = clock_timestamp(),
  expires_at = clock_timestamp() + interval '5 minutes' where id = ${id}::uuid`)
      ),
    release: (id) => Effect.asVoid(ask(sql`delete from file_reservations where id = ${id}::uuid`)),
    forget: (userId) => Effect.asVoid(ask(sql`delete from file_reservations where user_id = ${userId}`))
  }
}

const decodeNow = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ now: Schema.String })))
const decodeFits = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ fits: Schema.Boolean })))
