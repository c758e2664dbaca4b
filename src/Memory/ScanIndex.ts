import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import type { MemoryIndex } from "./MemoryIndex.ts"
import { MemoryRepo, type Owner, type Space } from "./MemoryRepo.ts"
import { byNearness, makeVectorTable, type VectorTable } from "./VectorTable.ts"

/** A user's vectors as they stood at `version`; those after (`version`, `id`) are still to be read. */
interface Kept {
  table: VectorTable
  version: number
  id: string
  removals: number
  /** Readers and writers of the table, one at a time. */
  readonly alone: Effect.Semaphore
}

/**
 * Memories compared in this process. Vectors of the users who asked last are kept and brought up to date by what
 * changed since; those of a user for whom the whole cache is too small are read anew at each search.
 */
export const make = (options: {
  readonly cacheBytes: number
}): Effect.Effect<MemoryIndex["Type"]["nearest"], never, PreparedStatements | MemoryRepo> =>
  Effect.gen(function*() {
    const { execute } = yield* PreparedStatements
    const repo = yield* MemoryRepo
    /** The one asked for last is the last. */
    const cache = new Map<string, Kept>()

    const page = (userId: UserId, space: Space, after: { readonly version: number; readonly id: string }) =>
      Effect.map(
        execute(changes, [userId, after.version, after.id, space.model, space.dimensions, pageSize(space)]),
        (rows) => rows.map(changeOf)
      )

    const keptOf = (key: string, { dimensions }: Space): Kept => {
      const kept = cache.get(key)
        ?? { ...empty, table: makeVectorTable(dimensions), alone: Effect.unsafeMakeSemaphore(1) }
      cache.delete(key)
      cache.set(key, kept)
      return kept
    }

    const refresh = Effect.fnUntraced(function*(kept: Kept, userId: UserId, space: Space, owner: Owner) {
      if (kept.removals !== owner.removals) {
        Object.assign(kept, empty, { table: makeVectorTable(space.dimensions), removals: owner.removals })
      }
      // Interrupted, it goes on from here at the next search.
      while (kept.version < owner.version || kept.id !== lastId) {
        const changed = yield* page(userId, space, kept)
        for (const { id, vector } of changed) {
          if (vector === null) kept.table.remove(id)
          else kept.table.put(id, vector)
        }
        const last = changed.at(-1)
        const isAll = changed.length < pageSize(space)
        kept.version = Math.max(kept.version, last?.version ?? 0, isAll ? owner.version : 0)
        kept.id = isAll ? lastId : last?.id ?? lastId
      }
    })

    const makeRoom = (asking: Kept) => {
      let bytes = [...cache.values()].reduce((sum, kept) => sum + kept.table.bytes(), 0)
      for (const [key, kept] of cache) {
        if (bytes <= options.cacheBytes) return
        if (kept === asking) continue
        cache.delete(key)
        bytes -= kept.table.bytes()
      }
    }

    const fromCache = (userId: UserId, space: Space, owner: Owner, vector: Float32Array, limit: number) =>
      Effect.suspend(() => {
        const kept = keptOf(`${userId}\0${space.model}\0${space.dimensions}`, space)
        return Effect.zipRight(
          refresh(kept, userId, space, owner),
          Effect.suspend(() => {
            makeRoom(kept)
            return kept.table.nearest(vector, limit)
          })
        ).pipe(kept.alone.withPermits(1))
      })

    const fromDatabase = Effect.fnUntraced(
      function*(userId: UserId, space: Space, vector: Float32Array, limit: number) {
        let after: { readonly version: number; readonly id: string } = empty
        let best = yield* makeVectorTable(space.dimensions).nearest(vector, limit)
        for (;;) {
          const rows = yield* page(userId, space, after)
          const table = makeVectorTable(space.dimensions)
          for (const { id, vector } of rows) if (vector !== null) table.put(id, vector)
          // A memory that is changed while its user's are read comes twice; the later one counts.
          const seen = new Set(rows.map(({ id }) => id))
          best = [...best.filter(({ id }) => !seen.has(id)), ...(yield* table.nearest(vector, limit))]
            .toSorted(byNearness).slice(0, limit)
          const last = rows.at(-1)
          if (last === undefined || rows.length < pageSize(space)) return best
          after = last
        }
      }
    )

    return (userId, space, vector, limit) =>
      Effect.flatMap(repo.owner(userId), (owner) =>
        owner.memories === 0
          ? Effect.succeed([])
          : owner.memories * space.dimensions * 4 > options.cacheBytes
          ? fromDatabase(userId, space, vector, limit)
          : fromCache(userId, space, owner, vector, limit))
  })

/** The greatest id there is: nothing of a version comes behind it. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const empty = { version: 0, id: lastId, removals: 0 }

/** Some megabyte a page, so that taking one apart holds up nothing. */
const pageSize = ({ dimensions }: Space): number => Math.max(16, Math.floor(131_072 / dimensions))

interface Change {
  readonly id: MemoryId
  readonly version: number
  /** Null: the memory is of another space. */
  readonly vector: Float32Array | null
}

const changeOf = (row: Row): Change => {
  const vector = row["vector"] as Buffer | null
  return {
    id: row["id"] as MemoryId,
    version: row["version"] as number,
    vector: vector === null ? null : floatsOf(vector)
  }
}

/** An array of `real` as `array_send` writes it: twenty bytes of shape, then each number behind its length. */
const floatsOf = (bytes: Buffer): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = new Float32Array(Math.max(0, (bytes.byteLength - 20) / 8))
  for (let index = 0, at = 24; index < floats.length; index++, at += 8) floats[index] = view.getFloat32(at)
  return floats
}

/** Pages are short and follow the index, so that none keeps a step waiting. */
const changes: Prepared = {
  name: "memory_changes",
  text: `
select id::text, version,
  case when model = $4::text and dimensions = $5::integer then array_send(vector) end as vector
from (
  select m.id, m.version, m.model, m.dimensions, m.vector from memories m
  where m.user_id = $1::text and (m.version, m.id) > ($2::integer, $3::uuid)
  order by m.version, m.id limit $6::integer
) as page
order by page.version, page.id`
}
