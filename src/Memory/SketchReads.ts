import type { SqlError } from "@effect/sql/SqlError"
import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { MemoryRepo, type Space } from "./MemoryRepo.ts"
import { sketchOf, sketchShape } from "./Sketch.ts"

/** A place in the order of a user's memories, by their last change. */
export interface Place {
  readonly version: number
  readonly id: string
}

/** Before all, where the first version is 1. */
export const beginning: Place = { version: 0, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" }

/** Behind all of a version. */
export const endOf = (version: number): Place => ({ ...beginning, version })

/** A memory as it was changed last; `sketch` is null when it is not of the space that was asked for. */
export interface Change extends Place {
  readonly id: MemoryId
  readonly sketch: Uint8Array | null
}

/** What a scan reads of one user's memories, in short pages, so that none keeps a step or the event loop waiting. */
export interface SketchReads {
  /** A page of what was changed behind a place. */
  readonly changes: (userId: UserId, space: Space, after: Place) => Effect.Effect<{
    readonly read: ReadonlyArray<Change>
    readonly isLast: boolean
  }, SqlError>
  /** All memories of the user, whatever their space. */
  readonly ids: (userId: UserId) => Effect.Effect<ReadonlySet<MemoryId>, SqlError>
  /** Of those that are of the space still. */
  readonly vectors: (
    userId: UserId,
    space: Space,
    ids: ReadonlyArray<MemoryId>
  ) => Effect.Effect<ReadonlyArray<{ readonly id: MemoryId; readonly vector: Float32Array }>, SqlError>
}

export const makeSketchReads: Effect.Effect<SketchReads, never, PreparedStatements | MemoryRepo> = Effect.gen(
  function*() {
    const { execute } = yield* PreparedStatements
    const repo = yield* MemoryRepo

    const addSketches = (userId: UserId, made: ReadonlyArray<Made>) =>
      made.length === 0
        ? Effect.void
        : Effect.catchAll(repo.addSketches(userId, made), (error) =>
          Effect.logWarning("Sketches of memories can't be kept, so they are made again at the next start", error))

    return {
      changes: Effect.fnUntraced(function*(userId: UserId, { dimensions, model }: Space, after: Place) {
        const limit = rowsOf(sketchShape(dimensions).size)
        const rows = yield* execute(changes, [userId, after.version, after.id, model, dimensions, limit])
        const made = new Map(rows.filter((row) => row["vector"] !== null).map((row) => [row["id"], madeOf(row)]))
        yield* addSketches(userId, [...made.values()])
        const read = rows.map((row) => made.get(row["id"]) ?? changeOf(row))
        return { read, isLast: rows.length < limit }
      }),
      ids: Effect.fnUntraced(function*(userId: UserId) {
        const all = new Set<MemoryId>()
        let after: Place = beginning
        for (;;) {
          const rows = yield* execute(ids, [userId, after.version, after.id, idsPerPage])
          const places = rows.map(placeOf)
          for (const { id } of places) all.add(id)
          const last = places.at(-1)
          if (last === undefined || rows.length < idsPerPage) return all
          after = last
        }
      }),
      vectors: (userId, { dimensions, model }, wanted) =>
        Effect.map(
          execute(vectors, [userId, wanted, model, dimensions]),
          (rows) => rows.map((row) => ({ id: row["id"] as MemoryId, vector: vectorOf(row) }))
        )
    }
  }
)

/** How many rows of so many bytes a page holds: some half a megabyte, which takes a few milliseconds to read. */
export const rowsOf = (bytes: number): number => Math.max(16, Math.floor(524_288 / bytes))

const idsPerPage = 1_000

type Made = Change & { readonly sketch: Uint8Array }

// The rows come from our own statements, whose columns the tables' constraints guard.
const placeOf = (row: Row) => ({ id: row["id"] as MemoryId, version: row["version"] as number })

const changeOf = (row: Row): Change => ({ ...placeOf(row), sketch: row["sketch"] as Uint8Array | null })

const madeOf = (row: Row): Made => ({ ...placeOf(row), sketch: sketchOf(vectorOf(row)) })

/** An array of `real` as `array_send` writes it: twenty bytes of shape, then each number behind its length. */
const vectorOf = (row: Row): Float32Array => {
  const bytes = row["vector"] as Uint8Array
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = new Float32Array(Math.max(0, (bytes.byteLength - 20) / 8))
  for (let index = 0, at = 24; index < floats.length; index++, at += 8) floats[index] = view.getFloat32(at)
  return floats
}

const changes: Prepared = {
  name: "memory_changes",
  text: `
select id::text, version, case when is_asked then sketch end as sketch,
  case when is_asked and sketch is null then array_send(vector) end as vector
from (
  select m.id, m.version, m.sketch, m.vector, m.model = $4::text and m.dimensions = $5::integer as is_asked
  from memories m where m.user_id = $1::text and (m.version, m.id) > ($2::integer, $3::uuid)
  order by m.version, m.id limit $6::integer
) as page
order by page.version, page.id`
}

const ids: Prepared = {
  name: "memory_ids",
  text: `
select id::text, version from memories m where m.user_id = $1::text and (m.version, m.id) > ($2::integer, $3::uuid)
order by m.version, m.id limit $4::integer`
}

/** By the keys alone: planned while the table is small, it would otherwise read all of the user's for ever. */
const vectors: Prepared = {
  name: "memory_vectors",
  text: `
select m.id::text, array_send(m.vector) as vector
from unnest($2::uuid[]) as wanted(id), lateral (select * from memories where id = wanted.id offset 0) as m
where m.user_id = $1::text and m.model = $3::text and m.dimensions = $4::integer`
}
