import * as SqlClient from "@effect/sql/SqlClient"
import { MemoryId } from "@troupe/domain/Memory"
import { Context, Effect, Layer, Schema } from "effect"
import { prepared } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { untilAvailable } from "../Runtime/Database/Sql.ts"
import type { MemoryRepo } from "./MemoryRepo.ts"
import { makeScan, type NearestOfEach, roundingError } from "./ScanIndex.ts"

/** Finds a user's memories most similar to each vector, exactly, among all in that space: best first, then newest first. */
export class MemoryIndex extends Context.Tag("troupe/Memory/MemoryIndex")<MemoryIndex, {
  readonly kind: "pgvector" | "scan"
  /** Reads the user's memories once for all of the vectors. */
  readonly nearestOfEach: NearestOfEach
}>() {
  /** This process compares all of the user's vectors. */
  static readonly layerScan = (options: {
    readonly cacheBytes: number
  }): Layer.Layer<MemoryIndex, never, SqlClient.SqlClient | MemoryRepo> =>
    Layer.effect(
      this,
      Effect.map(makeScan(options.cacheBytes), (nearestOfEach) => ({ kind: "scan", nearestOfEach }))
    )

  /** The database compares all of the user's memories, without an approximate index, so that none is missed. */
  static readonly layerPgvector: Layer.Layer<MemoryIndex, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(SearchStatements, ({ execute }) => ({
      kind: "pgvector",
      nearestOfEach: (userId, { dimensions, model }, vectors, limit) =>
        Effect.map(
          neighbours(
            execute(
              nearest({ user: userId, model, dimensions, vectors: vectors.map((v) => `[${v.join(",")}]`), limit })
            )
          ),
          (found) => vectors.map((_, place) => found.filter((neighbour) => neighbour.place === place + 1))
        )
    }))
  )

  /** pgvector where the database has it or lets us create it, else the scan. */
  static readonly layer = (options: {
    readonly cacheBytes: number
  }): Layer.Layer<MemoryIndex, never, SearchStatements | MemoryRepo | SqlClient.SqlClient> =>
    Layer.unwrapEffect(
      Effect.map(
        hasPgvector,
        (has): Layer.Layer<MemoryIndex, never, SearchStatements | MemoryRepo | SqlClient.SqlClient> =>
          has ? MemoryIndex.layerPgvector : MemoryIndex.layerScan(options)
      )
    )
}

const hasPgvector: Effect.Effect<boolean, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const offered = yield* sql`select from pg_available_extensions where name = 'vector'`
  if (offered.length === 0) return false
  // When two processes create it at the same moment, one of them is refused and finds it there.
  const created = yield* Effect.either(sql`create extension if not exists vector`)
  const works = yield* Effect.isSuccess(sql`select array[1]::real[]::vector <#> '[1]'::vector`)
  if (!works) yield* Effect.logInfo("pgvector can't be used; this process searches memories itself", created)
  return works
}).pipe(untilAvailable(), Effect.orDie)

const neighbours = rowsOf(Schema.Struct({ place: Schema.Int, id: MemoryId, score: Schema.Number }))

/** Vectors have length 1, so the negative inner product, by which the operator sorts, is the negative cosine. */
const nearest = prepared(
  "memory_nearest",
  ["user", "model", "dimensions", "vectors", "limit"],
  `
select asked.place::integer, found.id::text, -found.distance as score
from unnest($vectors::text[]) with ordinality as asked (vector, place) cross join lateral (
  select id, distance from (
    select id, vector::vector <#> asked.vector::vector as distance from memories
    where user_id = $user::text and model = $model::text and dimensions = $dimensions::integer
  ) as compared
  where distance < -${roundingError} order by distance, id desc limit $limit::integer
) as found
order by asked.place, found.distance, found.id desc`
)
