import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import { type Prepared, PreparedStatements } from "../../src/Runtime/PreparedStatements.ts"

export interface MemoryOfRow {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
}

/** All memories of a user, the newest first. */
export const memoriesOf = (user: UserId) =>
  Effect.flatMap(PreparedStatements, ({ execute }) => Effect.orDie(execute(list, [user]))).pipe(
    Effect.map((rows) =>
      rows.map((row): MemoryOfRow => ({
        id: row["id"] as MemoryId,
        content: row["content"] as string,
        tags: row["tags"] as ReadonlyArray<string>
      }))
    )
  )

/** Removes a memory as another process does that makes room. */
export const removeMemory = (user: UserId, id: MemoryId) =>
  Effect.flatMap(PreparedStatements, ({ execute }) => Effect.orDie(execute(remove, [user, id])))

const list: Prepared = {
  name: "test_memories",
  text: "select id::text, content, tags from memories where user_id = $1::text order by id desc"
}

const remove: Prepared = {
  name: "test_memory_remove",
  text: `with gone as (delete from memories where id = $2::uuid and user_id = $1::text returning id)
update memory_owners set version = version + 1, removals = removals + 1, memories = memories - 1
where user_id = $1::text and exists (select from gone)`
}
