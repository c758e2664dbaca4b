import * as SqlClient from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { dot } from "@troupe/domain/Vector"
import { Effect, Schema } from "effect"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { yieldToEventLoop } from "../Runtime/Process/EventLoop.ts"
import { MemoryRepo, type Owner, type Space } from "./MemoryRepo.ts"
import { beginning, type CachedVectors, endOf, makeVectorCache, type VectorPosition } from "./VectorCache.ts"

/** A memory found by similarity; `score` is the cosine of its vector and the query's. */
export interface Neighbour {
  readonly id: MemoryId
  readonly score: number
}

/** Of each of these vectors, which have length 1. Memories with a cosine of 0 or less are never found. */
export type NearestOfEach = (
  userId: UserId,
  space: Space,
  vectors: ReadonlyArray<Float32Array>,
  limit: number
) => Effect.Effect<ReadonlyArray<ReadonlyArray<Neighbour>>, SearchUnfinished>

/** The largest cosine that rounding gives to vectors without anything in common. */
export const roundingError = 0.00001

interface Query {
  readonly userId: UserId
  readonly space: Space
  readonly owner: Owner
  readonly vectors: ReadonlyArray<Float32Array>
  readonly limit: number
  /** What a pass over the memories has found. */
  found: ReadonlyArray<ReadonlyArray<Neighbour>> | null
}

/** A vector that a pass compares with each memory. */
interface Asked {
  readonly vector: Float32Array
  readonly topK: TopK
}

/** Queries that one pass answers: a pass whose first query is interrupted is made again. */
const maxTogether = 16

/** Compares all of the user's vectors: cached ones, or all read again where they don't fit the cache. */
export const makeScan = (
  cacheBytes: number
): Effect.Effect<NearestOfEach, never, SqlClient.SqlClient | MemoryRepo> =>
  Effect.gen(function*() {
    const { changesAfter, idsOf } = yield* makeReads
    const repo = yield* MemoryRepo
    const cache = makeVectorCache(cacheBytes)

    const waiting = new Map<string, Set<Query>>()

    const refresh = Effect.fnUntraced(function*(cached: CachedVectors, query: Query) {
      const { owner } = query
      if (cached.removals !== owner.removals) {
        if (cached.vectors.size > 0) {
          const ids = yield* idsOf(query.userId)
          for (const id of cached.vectors.keys()) if (!ids.has(id)) cached.vectors.delete(id)
        }
        cached.removals = owner.removals
      }
      // An interrupted refresh is resumed here by the next search.
      while (cached.place.version < owner.version || cached.place.id !== endOf(cached.place.version).id) {
        const { changes, isLast } = yield* changesAfter(query, cached.place)
        for (const { id, vector } of changes) {
          if (vector === null) cached.vectors.delete(id)
          else cached.vectors.set(id, vector)
        }
        const last = changes.at(-1) ?? cached.place
        cached.place = isLast ? endOf(Math.max(last.version, owner.version)) : last
      }
    })

    const scanPages = (query: Query) =>
      pass([query], (asked) =>
        Effect.gen(function*() {
          let after: VectorPosition | undefined = beginning
          while (after !== undefined) {
            const { changes, isLast }: ChangePage = yield* changesAfter(query, after)
            yield* compare(asked, changes.flatMap(({ id, vector }) => vector === null ? [] : [[id, vector] as const]))
            after = isLast ? undefined : changes.at(-1)
          }
        }))

    /** Answers with this query those that wait for the same memories, as of the newest of them. */
    const scanCached = (query: Query, others: ReadonlySet<Query>) => (cached: CachedVectors) =>
      Effect.suspend(() => {
        if (query.found !== null) return Effect.void
        const together = [query, ...[...others].filter((other) => other !== query && other.found === null)]
          .slice(0, maxTogether)
        const newest = together.reduce((one, other) => other.owner.version > one.owner.version ? other : one)
        return Effect.zipRight(refresh(cached, newest), pass(together, (asked) => compare(asked, cached.vectors)))
      })

    return Effect.fnUntraced(function*(userId, space, vectors, limit) {
      const owner = yield* repo.owner(userId)
      if (owner.memories === 0) return vectors.map(() => [])
      const query: Query = { userId, space, owner, vectors, limit, found: null }
      const key = `${userId}\0${space.model}\0${space.dimensions}`
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others.add(query))
      yield* cache.use(key, cachedBytes(owner.memories, space), {
        cached: scanCached(query, others),
        uncached: scanPages(query)
      }).pipe(Effect.ensuring(Effect.sync(() => {
        others.delete(query)
        if (others.size === 0) waiting.delete(key)
      })))
      return query.found ?? vectors.map(() => [])
    })
  })

/** Compares the vectors of all these queries, each of which has its result afterwards. */
const pass = <E>(queries: ReadonlyArray<Query>, compareAll: (asked: ReadonlyArray<Asked>) => Effect.Effect<void, E>) =>
  Effect.suspend(() => {
    const all = queries.map(({ limit, vectors }) => vectors.map((vector) => ({ vector, topK: makeTopK(limit) })))
    return Effect.tap(compareAll(all.flat()), () =>
      Effect.sync(() => {
        for (const [index, query] of queries.entries()) {
          query.found = all[index]?.map(({ topK }) => topK.neighbours()) ?? []
        }
      }))
  })

/** `vector` is null when the memory is of another space than the one asked for. */
interface VectorChange extends VectorPosition {
  readonly id: MemoryId
  readonly vector: Float32Array | null
}

interface ChangePage {
  readonly changes: ReadonlyArray<VectorChange>
  readonly isLast: boolean
}

/** Reads at the same time. The pool has at least three connections, and shard locks and health checks need one. */
const maxReads = 2

/** Half a megabyte of vectors: reading so many takes a few milliseconds. */
const floatsPerPage = 131_072

const makeReads = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const oneOfFew = (yield* Effect.makeSemaphore(maxReads)).withPermits(1)

  /** A page of the user's memories in the order of their last change. */
  const changesAfter = (
    { space: { dimensions, model }, userId }: Query,
    { id, version }: VectorPosition
  ): Effect.Effect<ChangePage> => {
    const limit = Math.max(16, Math.floor(floatsPerPage / dimensions))
    // The page is cut before its vectors are read, whichever plan is chosen.
    const page = changedVectors(sql`
select page.id::text, page.version,
  case when model = ${model}::text and dimensions = ${dimensions}::integer then array_send(vector) end as vector
from (
  select m.id, m.version, m.model, m.dimensions, m.vector from memories m
  where m.user_id = ${userId}::text and (m.version, m.id) > (${version}::integer, ${id}::uuid)
  order by m.version, m.id limit ${limit}::integer
) as page
order by page.version, page.id`)
    return Effect.map(oneOfFew(page), (rows) => ({
      changes: rows.map(({ vector, ...row }) => ({ ...row, vector: vector === null ? null : floatsOf(vector) })),
      isLast: rows.length < limit
    }))
  }

  const idsOf = (userId: UserId): Effect.Effect<ReadonlySet<MemoryId>> =>
    Effect.map(
      oneOfFew(ids(sql`select coalesce(json_agg(id), '[]') as ids from memories where user_id = ${userId}::text`)),
      ([row]) => new Set(row?.ids)
    )

  return { changesAfter, idsOf }
})

const changedVectors = rowsOf(
  Schema.Struct({ id: MemoryId, version: Schema.Int, vector: Schema.NullOr(Schema.Uint8ArrayFromSelf) })
)

const ids = rowsOf(Schema.Struct({ ids: Schema.Array(MemoryId) }))

/** An array of `real` as `array_send` writes it: a header of 20 bytes, then the length and the bytes of each number. */
const floatsOf = (bytes: Uint8Array): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = new Float32Array(Math.max(0, (bytes.byteLength - 20) / 8))
  for (let index = 0, at = 24; index < floats.length; index++, at += 8) floats[index] = view.getFloat32(at)
  return floats
}

/** What so many memories take in the cache: their numbers, and some bytes for the id and the place of each. */
export const cachedBytes = (memories: number, { dimensions }: Pick<Space, "dimensions">): number =>
  memories * (dimensions * 4 + 400)

/** Numbers compared (some 2 ms) before other work of the process runs. */
const floatsAtOnce = 2_000_000

const compare = Effect.fnUntraced(
  function*(asked: ReadonlyArray<Asked>, others: Iterable<readonly [MemoryId, Float32Array]>) {
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
