import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import type { PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { makeKernel } from "./Kernel.ts"
import type { MemoryIndex, Near } from "./MemoryIndex.ts"
import { MemoryRepo, type Owner, type Space } from "./MemoryRepo.ts"
import { makeSieve, type Sieve } from "./Sieve.ts"
import { type SketchQuery, sketchQuery, type SketchShape, sketchShape } from "./Sketch.ts"
import { beginning, endOf, makeSketchReads, type Place, rowsOf } from "./SketchReads.ts"
import { makeSketchTable, tableBytes } from "./SketchTable.ts"
import { type Kept, makeTableCache } from "./TableCache.ts"
import { dot, noise } from "./Vectors.ts"

/** What is looked for, and where. */
interface Asked {
  readonly userId: UserId
  readonly space: Space
  readonly vector: Float32Array
  readonly limit: number
  readonly shape: SketchShape
  readonly query: SketchQuery
}

/**
 * Memories compared in this process, in two steps that together are exact: their sketches show which few may be among
 * the nearest, and of those the vectors are read and compared. Sketches of the users who asked last are kept and brought
 * up to date by what changed since; those of a user for whom there is no room are read anew at each search.
 */
export const make = (options: {
  readonly cacheBytes: number
}): Effect.Effect<MemoryIndex["Type"]["nearest"], never, PreparedStatements | MemoryRepo> =>
  Effect.gen(function*() {
    const reads = yield* makeSketchReads
    const repo = yield* MemoryRepo
    const kernel = makeKernel()
    const cache = makeTableCache(options.cacheBytes)

    const refresh = Effect.fnUntraced(function*(kept: Kept, owner: Owner, { space, userId }: Asked) {
      if (kept.removals !== owner.removals) {
        if (kept.table.size() > 0) kept.table.retain(yield* reads.ids(userId))
        kept.removals = owner.removals
      }
      // Interrupted, it goes on from here at the next search.
      while (kept.at.version < owner.version || kept.at.id !== endOf(kept.at.version).id) {
        const { isLast, read } = yield* reads.changes(userId, space, kept.at)
        for (const { id, sketch } of read) {
          if (sketch === null) kept.table.remove(id)
          else kept.table.put(id, sketch)
        }
        const last = read.at(-1) ?? kept.at
        kept.at = isLast ? endOf(Math.max(last.version, owner.version)) : last
      }
    })

    const siftKept = Effect.fnUntraced(function*(kept: Kept, owner: Owner, asked: Asked, sieve: Sieve) {
      yield* refresh(kept, owner, asked)
      yield* kept.table.sift(asked.query, sieve)
    })

    const siftFromDatabase = Effect.fnUntraced(function*({ query, shape, space, userId }: Asked, sieve: Sieve) {
      let after: Place = beginning
      for (;;) {
        const { isLast, read } = yield* reads.changes(userId, space, after)
        const table = makeSketchTable(kernel, shape)
        for (const { id, sketch } of read) if (sketch !== null) table.put(id, sketch)
        yield* table.sift(query, sieve)
        const last = read.at(-1)
        if (last === undefined || isLast) return
        after = last
      }
    })

    /** The nearest of the candidates, by their vectors as they stand now. */
    const nearestOf = Effect.fnUntraced(function*({ limit, space, userId, vector }: Asked, sieve: Sieve) {
      let candidates = sieve.candidates()
      let best: ReadonlyArray<Near> = []
      let count = limit + 8
      while (candidates.length > 0) {
        const read = yield* reads.vectors(userId, space, candidates.slice(0, count).map(({ id }) => id))
        const near = read.map(({ id, vector: other }): Near => ({ id, score: dot(other, vector) }))
        best = [...best, ...near.filter(({ score }) => score > noise)].toSorted(byNearness).slice(0, limit)
        const least = best[limit - 1]?.score ?? noise
        candidates = candidates.slice(count).filter(({ most }) => most >= least)
        count = rowsOf(8 * space.dimensions)
      }
      return best
    })

    const look = Effect.fnUntraced(function*(asked: Asked) {
      const owner = yield* repo.owner(asked.userId)
      if (owner.memories === 0) return { best: [], isExact: true }
      const sieve = makeSieve(asked.limit)
      yield* cache.use(`${asked.userId}\0${asked.space.model}\0${asked.space.dimensions}`, {
        bytes: tableBytes(asked.shape, owner.memories),
        make: () => ({ table: makeSketchTable(kernel, asked.shape), at: beginning, removals: owner.removals }),
        work: (kept) => siftKept(kept, owner, asked, sieve),
        otherwise: siftFromDatabase(asked, sieve)
      })
      const best = yield* nearestOf(asked, sieve)
      // Else a memory that set the threshold was changed or removed meanwhile, and the sieve may have held back too many.
      return { best, isExact: (best[asked.limit - 1]?.score ?? noise) >= sieve.threshold() }
    })

    return (userId, space, vector, limit) =>
      look({ userId, space, vector, limit, shape: sketchShape(space.dimensions), query: sketchQuery(vector) }).pipe(
        Effect.repeat({ until: ({ isExact }) => isExact, times: mostLooks }),
        Effect.map(({ best }): ReadonlyArray<Near> => best)
      )
  })

/** Looks again at memories that change at every look. */
const mostLooks = 3

/** The order of results: best first, of equal ones the newest. */
const byNearness = (one: Near, other: Near): number =>
  other.score - one.score || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
