import type { MemoryId } from "@troupe/domain/Memory"
import { Effect, Layer } from "effect"
import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { SearchStatements } from "../Runtime/SearchStatements.ts"
import { MemoryIndex, type Neighbour } from "./MemoryIndex.ts"
import { roundingError } from "./Vectors.ts"

/** The database compares all of the user's memories, without an approximate index, so that none is missed. */
export const layer: Layer.Layer<MemoryIndex, never, SearchStatements> = Layer.effect(
  MemoryIndex,
  Effect.map(SearchStatements, ({ execute }) =>
    MemoryIndex.of({
      kind: "pgvector",
      nearest: (userId, { dimensions, model }, vector, limit) =>
        execute(nearest, [userId, model, dimensions, `[${vector.join(",")}]`, limit]).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.map((rows) =>
            rows.map((row): Neighbour => ({ id: row["id"] as MemoryId, score: row["score"] as number }))
          )
        )
    }))
)

/** Vectors have length 1, so the negative inner product, by which the operator sorts, is the negative cosine. */
const nearest: Prepared = {
  name: "memory_nearest",
  text: `
select id::text, -distance as score from (
  select id, vector::vector <#> $4::text::vector as distance from memories
  where user_id = $1::text and model = $2::text and dimensions = $3::integer
) as compared
where distance < -${roundingError} order by distance, id desc limit $5::integer`
}
