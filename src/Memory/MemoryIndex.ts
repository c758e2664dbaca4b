import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer } from "effect"
import type { PreparedStatements } from "../Runtime/PreparedStatements.ts"
import type { SearchStatements } from "../Runtime/SearchStatements.ts"
import type { MemoryRepo, Space } from "./MemoryRepo.ts"
import * as PgvectorIndex from "./PgvectorIndex.ts"
import * as ScanIndex from "./ScanIndex.ts"

/** A memory that is near; `score` is the cosine of its vector with the one asked for. */
export interface Near {
  readonly id: MemoryId
  readonly score: number
}

/**
 * Which of a user's memories are nearest to a vector: exactly, over all of them that are of the same space, as they
 * stand when it is asked. Best first, of equal ones the newest; those that have nothing in common (a cosine of 0 or less)
 * never.
 */
export class MemoryIndex extends Context.Tag("troupe/Memory/MemoryIndex")<MemoryIndex, {
  readonly path: "pgvector" | "scan"
  /** `vector` has length 1. */
  readonly nearest: (
    userId: UserId,
    space: Space,
    vector: Float32Array,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Near>, SearchUnfinished | SqlError>
}>() {
  /** The database compares. It must have the extension `vector`. */
  static readonly layerPgvector: Layer.Layer<MemoryIndex, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(PgvectorIndex.make, (nearest) => MemoryIndex.of({ path: "pgvector", nearest }))
  )

  /** This process compares, and keeps vectors of the users who asked last, in at most so many bytes. */
  static readonly layerScan = (options: {
    readonly cacheBytes: number
  }): Layer.Layer<MemoryIndex, never, PreparedStatements | MemoryRepo> =>
    Layer.effect(this, Effect.map(ScanIndex.make(options), (nearest) => MemoryIndex.of({ path: "scan", nearest })))

  /** pgvector where the database has it or lets us create it, else the scan (contract.md 12). */
  static readonly layer = (options: {
    readonly cacheBytes: number
  }): Layer.Layer<MemoryIndex, never, PreparedStatements | SearchStatements | MemoryRepo | SqlClient> =>
    Layer.unwrapEffect(
      Effect.map(
        hasPgvector,
        (has): Layer.Layer<MemoryIndex, never, PreparedStatements | SearchStatements | MemoryRepo> =>
          has ? this.layerPgvector : this.layerScan(options)
      )
    )
}

/** Whether vectors can be compared by the database. A server that offers pgvector and refuses it to us has none. */
export const hasPgvector: Effect.Effect<boolean, never, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const offered = yield* sql`select from pg_available_extensions where name = 'vector'`
  if (offered.length === 0) return false
  // Of two that create it at the same moment one is refused, and finds it there.
  const created = yield* Effect.either(sql`create extension if not exists vector`)
  const works = yield* Effect.isSuccess(sql`select array[1]::real[]::vector <#> '[1]'::vector`)
  if (!works) yield* Effect.logInfo("pgvector can't be used, so memories are searched by this process", created)
  return works
}).pipe(Effect.orDie)
