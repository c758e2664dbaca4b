import * as SqlClient from "@effect/sql/SqlClient"
import { plural } from "@troupe/domain/Text"
import { Context, Effect, Layer, Schema } from "effect"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { cachedBytes } from "./ScanIndex.ts"

/** Above this a scan takes the processor for long enough to slow other work of the process down. */
const maxScannedMemories = 50_000

/** A scan of fewer takes a few milliseconds: then something else made it slow. */
const slowFrom = 5_000

/**
 * Whether the users' memories are few enough for the way in which they are searched, and tasks began with them, as of the last
 * 30 seconds.
 */
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
        const statistics = owners(sql`
select coalesce(o.memories, 0) as memories, o.dimensions, l.users as "leftOut", has as "hasPgvector"
from (select count(*)::integer as users from memory_owners where left_out_at > now() - interval '1 hour') l
cross join (select exists (select from pg_extension where extname = 'vector') as has) e
left join lateral (
  select memories, (select m.dimensions from memories m where m.user_id = o.user_id limit 1) as dimensions
  from memory_owners o where not has order by memories desc limit 1
) o on true`)
        const problems = makeExpiringCache({
          capacity: 1,
          timeToLive: "30 seconds",
          lookup: (cacheBytes: number) =>
            Effect.map(
              asService(theRow(statistics)),
              ({ dimensions, hasPgvector, leftOut, memories }) => {
                if (cachedBytes(memories, { dimensions: dimensions ?? 0 }) > cacheBytes) {
                  return `A user's ${memories} memories don't fit into MEMORY_CACHE_MB, so each search reads all of `
                    + `them: raise it, or ${usePgvector}`
                }
                if (leftOut > 0) {
                  return `In the last hour tasks of ${plural(leftOut, "user")} began without their memories, because `
                    + `searching them failed or took longer than 3 s: see the logs of those tasks. ${
                      hasPgvector || memories < slowFrom
                        ? "If they were slow, the machine or its database is busy, or statements wait for a connection: "
                          + "raise DATABASE_MAX_CONNECTIONS, or add a worker on another machine."
                        : `If they were slow, ${usePgvector}`
                    }`
                }
                return memories > maxScannedMemories
                  ? `A user has ${memories} memories, more than ${maxScannedMemories} are searched slowly: ${usePgvector}`
                  : null
              }
            )
        })
        return MemoryHealth.of({ problem: problems.get(options.cacheBytes) })
      })
    )
}

const owners = rowsOf(
  Schema.Struct({
    memories: Schema.Int,
    dimensions: Schema.NullOr(Schema.Int),
    leftOut: Schema.Int,
    hasPgvector: Schema.Boolean
  })
)

const usePgvector = "use a PostgreSQL server that has pgvector (DATABASE_URL)."
