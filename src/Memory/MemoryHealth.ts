import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Effect, Layer, Schema } from "effect"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { cachedBytes } from "./ScanIndex.ts"

/** Above this a scan takes the processor for long enough to slow other work of the process down. */
const maxScannedMemories = 50_000

/** Whether the users' memories are few enough for the way in which they are searched, as of the last 30 seconds. */
export class MemoryHealth extends Context.Tag("troupe/Memory/MemoryHealth")<MemoryHealth, {
  /** What is wrong and how to fix it; null when nothing is. */
  readonly problem: Effect.Effect<string | null>
}>() {
  static readonly layer = (options: {
    readonly cacheBytes: number
  }): Layer.Layer<MemoryHealth, never, SqlClient.SqlClient> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const largest = owners(sql`
select o.memories, (select m.dimensions from memories m where m.user_id = o.user_id limit 1) as dimensions
from memory_owners o where not exists (select from pg_extension where extname = 'vector')
order by o.memories desc limit 1`)
        const problems = makeExpiringCache({
          capacity: 1,
          timeToLive: "30 seconds",
          lookup: (cacheBytes: number) =>
            Effect.map(asService(largest), ([{ dimensions, memories } = none]) => {
              if (cachedBytes(memories, { dimensions: dimensions ?? 0 }) > cacheBytes) {
                return `A user's ${memories} memories don't fit into MEMORY_CACHE_MB, so each search reads all of `
                  + `them: raise it, or ${usePgvector}`
              }
              return memories > maxScannedMemories
                ? `A user has ${memories} memories, more than ${maxScannedMemories} are searched slowly: ${usePgvector}`
                : null
            })
        })
        return MemoryHealth.of({ problem: problems.get(options.cacheBytes) })
      })
    )
}

const owners = rowsOf(Schema.Struct({ memories: Schema.Int, dimensions: Schema.NullOr(Schema.Int) }))
const none = { memories: 0, dimensions: null }

const usePgvector = "use a PostgreSQL server that has pgvector (DATABASE_URL)."
