import * as SqlClient from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { Effect, Schema } from "effect"
import { rowsOf } from "../Runtime/Database/Query.ts"
import type { Space } from "./MemoryIndex.ts"

/** A place in the order of a user's memories by their last change. */
export interface VectorPosition {
  readonly version: number
  readonly id: string
}

export const beginning: VectorPosition = { version: 0, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" }

export const endOf = (version: number): VectorPosition => ({ ...beginning, version })

/** `vector` is null when the memory is of another space than the one asked for. */
export interface VectorChange extends VectorPosition {
  readonly id: MemoryId
  readonly vector: Float32Array | null
}

export interface ChangePage {
  readonly changes: ReadonlyArray<VectorChange>
  readonly isLast: boolean
}

export interface MemoryVectors {
  readonly changes: (userId: UserId, space: Space, after: VectorPosition) => Effect.Effect<ChangePage>
  /** All of the user's memories, of whatever space. */
  readonly ids: (userId: UserId) => Effect.Effect<ReadonlySet<MemoryId>>
}

export const makeMemoryVectors: Effect.Effect<MemoryVectors, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const oneOfFew = (yield* Effect.makeSemaphore(maxReads)).withPermits(1)
  return {
    changes: (userId, { dimensions, model }, { id, version }) => {
      const limit = Math.max(16, Math.floor(floatsPerPage / dimensions))
      // The page is cut before its vectors are read, whichever plan is chosen.
      const page = changes(sql`
select page.id::text, page.version,
  case when model = ${model}::text and dimensions = ${dimensions}::integer then array_send(vector) end as vector
from (
  select m.id, m.version, m.model, m.dimensions, m.vector from memories m
  where m.user_id = ${userId}::text and (m.version, m.id) > (${version}::integer, ${id}::uuid)
  order by m.version, m.id limit ${limit}::integer
) as page
order by page.version, page.id`)
      return Effect.map(oneOfFew(page), (rows): ChangePage => ({
        changes: rows.map(({ vector, ...row }) => ({ ...row, vector: vector === null ? null : floatsOf(vector) })),
        isLast: rows.length < limit
      }))
    },
    ids: (userId) =>
      Effect.map(
        oneOfFew(ids(sql`select coalesce(json_agg(id), '[]') as ids from memories where user_id = ${userId}::text`)),
        ([row]) => new Set(row?.ids)
      )
  }
})

const changes = rowsOf(
  Schema.Struct({ id: MemoryId, version: Schema.Int, vector: Schema.NullOr(Schema.Uint8ArrayFromSelf) })
)
const ids = rowsOf(Schema.Struct({ ids: Schema.Array(MemoryId) }))

/** Reads at the same time. The pool has at least three connections, and shard locks and health checks need one. */
const maxReads = 2

/** Half a megabyte of vectors: reading so many takes a few milliseconds. */
const floatsPerPage = 131_072

/** An array of `real` as `array_send` writes it: a header of 20 bytes, then the length and the bytes of each number. */
const floatsOf = (bytes: Uint8Array): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = new Float32Array(Math.max(0, (bytes.byteLength - 20) / 8))
  for (let index = 0, at = 24; index < floats.length; index++, at += 8) floats[index] = view.getFloat32(at)
  return floats
}
