import { SqlClient } from "@effect/sql"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { normalised } from "@troupe/domain/Vector"
import { Effect } from "effect"
import { v7 } from "uuid"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo, type Space } from "../../src/Memory/MemoryRepo.ts"

export interface MemoryOfRow {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
}

/** All memories of a user, the newest first. */
export const memoriesOf = (user: UserId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(
      sql<MemoryOfRow>`select id::text, content, tags from memories where user_id = ${user} order by id desc`
    ))

/** Removes a memory as another process does that makes room. */
export const removeMemory = (user: UserId, id: MemoryId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`
with removed as (delete from memories where id = ${id}::uuid and user_id = ${user} returning id)
update memory_owners set version = version + 1, removals = removals + 1, memories = memories - 1
where user_id = ${user} and exists (select from removed)`))

/** Saves vectors as memories of a user who had none. */
export const given = (vectors: ReadonlyArray<Float32Array>, space: Space, rounds = 1) =>
  Effect.gen(function*() {
    const repo = yield* MemoryRepo
    const user = UserId.make(`user-${v7()}`)
    const rows = vectors.map((vector) => ({
      id: MemoryId.make(v7()),
      content: "x",
      tags: [],
      taskId: null,
      vector: normalised(vector),
      isNew: true
    }))
    for (let round = 0; round < rounds; round++) {
      const size = Math.ceil(rows.length / rounds)
      const isWritten = yield* repo.write(user, {
        version: round,
        space,
        rows: rows.slice(round * size, (round + 1) * size),
        tasks: []
      })
      assert.isTrue(isWritten)
    }
    return { user, rows }
  })

/** The user's memories that are nearest to one vector. */
export const nearest = (user: UserId, space: Space, vector: Float32Array, limit: number) =>
  Effect.flatMap(
    MemoryIndex,
    ({ nearestOfEach }) => Effect.map(nearestOfEach(user, space, [vector], limit), ([found = []]) => found)
  )
