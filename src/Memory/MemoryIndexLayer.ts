import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import type { SearchStatements } from "../Runtime/SearchStatements.ts"
import { untilAvailable } from "../Runtime/Sql.ts"
import type { MemoryIndex } from "./MemoryIndex.ts"
import type { MemoryRepo } from "./MemoryRepo.ts"
import * as PgvectorIndex from "./PgvectorIndex.ts"
import * as ScanIndex from "./ScanIndex.ts"

/** pgvector where the database has it or lets us create it, else the scan. */
export const layer = (options: {
  readonly cacheBytes: number
}): Layer.Layer<MemoryIndex, never, SearchStatements | MemoryRepo | SqlClient.SqlClient> =>
  Layer.unwrapEffect(
    Effect.map(
      hasPgvector,
      (has): Layer.Layer<MemoryIndex, never, SearchStatements | MemoryRepo | SqlClient.SqlClient> =>
        has ? PgvectorIndex.layer : ScanIndex.layer(options)
    )
  )

/** Whether the database can compare vectors for us; it may offer pgvector and not let us create it. */
const hasPgvector: Effect.Effect<boolean, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const offered = yield* sql`select from pg_available_extensions where name = 'vector'`
  if (offered.length === 0) return false
  // When two processes create it at the same moment, one of them is refused and finds it there.
  const created = yield* Effect.either(sql`create extension if not exists vector`)
  const works = yield* Effect.isSuccess(sql`select array[1]::real[]::vector <#> '[1]'::vector`)
  if (!works) yield* Effect.logInfo("pgvector can't be used, so this process compares memories itself", created)
  return works
}).pipe(untilAvailable(), Effect.orDie)
