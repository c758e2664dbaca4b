import type { UserId } from "@troupe/domain/Ids"
import { type MemoryId, MemoryNotFound, MemoryRecord } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type { UserNotFound } from "@troupe/domain/User"
import { Chunk, Context, Effect, Layer, Option, Stream } from "effect"
import { Users } from "../People/User/Users.ts"
import { idBefore, type PageRequest } from "../Runtime/Database/Page.ts"
import { prepared } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { MemoryRepo } from "./MemoryRepo.ts"

export interface MemoryFilter extends PageRequest<MemoryId> {
  /** Text in the memory or in a tag, in whatever case. */
  readonly q: Option.Option<string>
}

/** What users see, newest first, and remove of their memories. It needs no language model, so every process has it. */
export class MemoryRecords extends Context.Tag("troupe/Memory/MemoryRecords")<MemoryRecords, {
  readonly list: (
    userId: UserId,
    filter: MemoryFilter
  ) => Effect.Effect<ReadonlyArray<MemoryRecord>, UserNotFound | SearchUnfinished>
  /** All memories; the first page is read before it succeeds. */
  readonly all: (
    userId: UserId
  ) => Effect.Effect<Stream.Stream<MemoryRecord, SearchUnfinished>, UserNotFound | SearchUnfinished>
  readonly remove: (userId: UserId, id: MemoryId) => Effect.Effect<void, MemoryNotFound>
  readonly removeAll: (userId: UserId) => Effect.Effect<void, UserNotFound>
}>() {
  static readonly layer: Layer.Layer<MemoryRecords, never, MemoryRepo | SearchStatements | Users> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* MemoryRepo
      const searches = yield* SearchStatements
      const users = yield* Users

      const read = (userId: UserId, { cursor, limit, q }: MemoryFilter) =>
        records(searches.execute(listing({ user: userId, before: idBefore(cursor), limit, q: Option.getOrNull(q) })))

      const list = (userId: UserId, filter: MemoryFilter) =>
        Effect.tap(read(userId, filter), ({ length }) => length === 0 ? users.check(userId) : Effect.void)

      return MemoryRecords.of({
        list,
        all: (userId) =>
          Effect.map(list(userId, firstPage), (first) => {
            const start: ReturnType<typeof read> = Effect.succeed(first)
            return Stream.paginateChunkEffect(
              start,
              Effect.map((page) => {
                const last = Option.fromNullable(page[pageSize - 1]?.id)
                const next = Option.map(last, () => read(userId, { ...firstPage, cursor: last }))
                return [Chunk.unsafeFromArray(page), next] as const
              })
            )
          }),
        remove: (userId, id) =>
          Effect.flatMap(
            repo.remove(userId, id),
            (isRemoved) => isRemoved ? Effect.void : new MemoryNotFound({ user_id: userId, id })
          ),
        removeAll: (userId) => Effect.zipRight(users.check(userId), repo.removeAll(userId))
      })
    })
  )
}

const pageSize = 500

const firstPage: MemoryFilter = { q: Option.none(), limit: pageSize, cursor: Option.none() }

const records = rowsOf(MemoryRecord)

const columns = `id::text, user_id, content, tags, task_id::text, ${timestamp("created_at", "created_at")},
  ${timestamp("updated_at", "updated_at")}`

const listing = prepared(
  "memories_list",
  ["user", "before", "limit", "q"],
  `select ${columns} from memories where user_id = $user::text and id < $before::uuid
  and ($q::text is null or position(lower($q::text) in lower(content)) > 0
    or exists (select from unnest(tags) tag where position(lower($q::text) in lower(tag)) > 0))
order by memories.id desc limit $limit::integer`
)
