import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { SearchStatements } from "../Runtime/SearchStatements.ts"
import type { MemoryIndex, Near } from "./MemoryIndex.ts"
import { noise } from "./Vectors.ts"

/** Memories compared by pgvector: all of the user's, without an approximate index, so that none is missed. */
export const make: Effect.Effect<MemoryIndex["Type"]["nearest"], never, SearchStatements> = Effect.map(
  SearchStatements,
  ({ execute }) => (userId, { dimensions, model }, vector, limit) =>
    Effect.map(
      execute(nearest, [userId, model, dimensions, `[${vector.join(",")}]`, limit]),
      (rows) => rows.map((row): Near => ({ id: row["id"] as MemoryId, score: row["score"] as number }))
    )
)

/** Vectors have length 1, so that their inner product (negative, for the operator to sort by) is the cosine. */
const nearest: Prepared = {
  name: "memory_nearest",
  text: `
select id::text, -distance as score from (
  select id, vector::vector <#> $4::text::vector as distance from memories
  where user_id = $1::text and model = $2::text and dimensions = $3::integer
) as near
where distance < -${noise} order by distance, id desc limit $5::integer`
}
