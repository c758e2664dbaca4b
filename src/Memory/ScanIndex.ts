import type * as SqlClient from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import { dot } from "@troupe/domain/Vector"
import { Effect, Layer } from "effect"
import { yieldToEventLoop } from "../Runtime/Process/EventLoop.ts"
import { MemoryIndex, type Neighbour, roundingError, type Space } from "./MemoryIndex.ts"
import { MemoryRepo, type Owner } from "./MemoryRepo.ts"
import { beginning, type ChangePage, endOf, makeMemoryVectors, type VectorPosition } from "./MemoryVectors.ts"
import { type CachedVectors, makeVectorCache } from "./VectorCache.ts"

interface Query {
  readonly userId: UserId
  readonly space: Space
  readonly asked: ReadonlyArray<{ readonly vector: Float32Array; readonly topK: TopK }>
}

/** This process compares all of the user's vectors: cached ones, or all read again where they don't fit the cache. */
export const layer = (options: {
  readonly cacheBytes: number
}): Layer.Layer<MemoryIndex, never, SqlClient.SqlClient | MemoryRepo> =>
  Layer.effect(
    MemoryIndex,
    Effect.gen(function*() {
      const reads = yield* makeMemoryVectors
      const repo = yield* MemoryRepo
      const cache = makeVectorCache(options.cacheBytes)

      const refresh = Effect.fnUntraced(function*(cached: CachedVectors, owner: Owner, { space, userId }: Query) {
        if (cached.removals !== owner.removals) {
          if (cached.vectors.size > 0) {
            const ids = yield* reads.ids(userId)
            for (const id of cached.vectors.keys()) if (!ids.has(id)) cached.vectors.delete(id)
          }
          cached.removals = owner.removals
        }
        // An interrupted refresh is resumed here by the next search.
        while (cached.place.version < owner.version || cached.place.id !== endOf(cached.place.version).id) {
          const { changes, isLast } = yield* reads.changes(userId, space, cached.place)
          for (const { id, vector } of changes) {
            if (vector === null) cached.vectors.delete(id)
            else cached.vectors.set(id, vector)
          }
          const last = changes.at(-1) ?? cached.place
          cached.place = isLast ? endOf(Math.max(last.version, owner.version)) : last
        }
      })

      const scanPages = Effect.fnUntraced(function*(query: Query) {
        let after: VectorPosition | undefined = beginning
        while (after !== undefined) {
          const { changes, isLast }: ChangePage = yield* reads.changes(query.userId, query.space, after)
          yield* compare(query, changes.flatMap(({ id, vector }) => vector === null ? [] : [[id, vector] as const]))
          after = isLast ? undefined : changes.at(-1)
        }
      })

      return MemoryIndex.make(
        "scan",
        Effect.fnUntraced(function*(userId, space, vectors, limit) {
          const query = { userId, space, asked: vectors.map((vector) => ({ vector, topK: makeTopK(limit) })) }
          const owner = yield* repo.owner(userId)
          if (owner.memories > 0) {
            yield* cache.use(`${userId}\0${space.model}\0${space.dimensions}`, cachedBytes(owner.memories, space), {
              cached: (cached) => Effect.zipRight(refresh(cached, owner, query), compare(query, cached.vectors)),
              uncached: scanPages(query)
            })
          }
          return query.asked.map(({ topK }) => topK.neighbours())
        })
      )
    })
  )

/** What so many memories take in the cache: their numbers, and some bytes for the id and the place of each. */
export const cachedBytes = (memories: number, { dimensions }: Pick<Space, "dimensions">): number =>
  memories * (dimensions * 4 + 400)

/** Numbers compared (some 2 ms) before other work of the process runs. */
const floatsAtOnce = 2_000_000

const compare = Effect.fnUntraced(
  function*({ asked }: Query, others: Iterable<readonly [MemoryId, Float32Array]>) {
    let floats = 0
    for (const [id, other] of others) {
      for (const { topK, vector } of asked) topK.add(id, dot(vector, other))
      floats += other.length * asked.length
      if (floats < floatsAtOnce) continue
      floats = 0
      yield* yieldToEventLoop
    }
  }
)

/** Keeps the best `limit` scores: best first, the newest first of equal ones. */
interface TopK {
  readonly add: (id: MemoryId, score: number) => void
  readonly neighbours: () => ReadonlyArray<Neighbour>
}

export const makeTopK = (limit: number): TopK => {
  const best: Array<Neighbour> = []
  let threshold = roundingError
  return {
    add: (id, score) => {
      if (score <= roundingError || score < threshold) return
      const place = best.findIndex((other) => score > other.score || score === other.score && id > other.id)
      best.splice(place === -1 ? best.length : place, 0, { id, score })
      if (best.length > limit) best.pop()
      if (best.length === limit) threshold = best.at(-1)?.score ?? threshold
    },
    neighbours: () => [...best]
  }
}
