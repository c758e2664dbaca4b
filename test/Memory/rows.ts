import { SqlClient } from "@effect/sql"
import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"

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
