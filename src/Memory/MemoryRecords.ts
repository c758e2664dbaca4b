import type { UserId } from "@troupe/domain/Ids"
import { MemoryId, MemoryNotFound, MemoryRecord } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type { UserNotFound } from "@troupe/domain/User"
import { Chunk, Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { Users } from "../People/User/Users.ts"
import { idBefore, type Page, type PageRequest } from "../Runtime/Database/Page.ts"
import { prepared } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { MemoryRepo } from "./MemoryRepo.ts"

export interface MemorySearch extends PageRequest<MemoryId> {
  /** Text in the memory or in a tag, in whatever case. */
  readonly q: string
}

/** What users see, newest first, and remove of their memories. It needs no language model, so every process has it. */
export class MemoryRecords extends Context.Tag("troupe/Memory/MemoryRecords")<MemoryRecords, {
  readonly list: (
    userId: UserId,
    page: PageRequest<MemoryId>
  ) => Effect.Effect<ReadonlyArray<MemoryRecord>, UserNotFound | SearchUnfinished>
  /** No index has the words: a page searches a number of memories, and may find fewer than its limit or none. */
  readonly search: (
    userId: UserId,
    search: MemorySearch
  ) => Effect.Effect<Page<MemoryRecord, MemoryId>, UserNotFound | SearchUnfinished>
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

      const read = (userId: UserId, { cursor, limit }: PageRequest<MemoryId>) =>
        records(searches.execute(listing({ user: userId, before: idBefore(cursor), limit })))

      const list = (userId: UserId, page: PageRequest<MemoryId>) =>
        Effect.tap(read(userId, page), ({ length }) => length === 0 ? users.check(userId) : Effect.void)

      const search = Effect.fn("MemoryRecords.search")(
        function*(userId: UserId, { cursor, limit, q }: MemorySearch): Effect.fn.Return<
          Page<MemoryRecord, MemoryId>,
          UserNotFound | SearchUnfinished
        > {
          const found = { user: userId, before: idBefore(cursor), q, limit: limit + 1 }
          const [{ end, ids } = nothing] = yield* matches(searches.execute(matching(found)))
          if (ids.length === 0) yield* users.check(userId)
          const items = yield* records(searches.execute(listed({ user: userId, ids: ids.slice(0, limit) })))
          return ids.length > limit
            ? { items, hasMore: true }
            : end === null
            ? { items, hasMore: false }
            : { items, hasMore: true, end }
        }
      )

      return MemoryRecords.of({
        list,
        search,
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

const firstPage: PageRequest<MemoryId> = { limit: pageSize, cursor: Option.none() }

const records = rowsOf(MemoryRecord)

const columns = `id::text, user_id, content, tags, task_id::text, ${timestamp("created_at", "created_at")},
  ${timestamp("updated_at", "updated_at")}`

const listing = prepared(
  "memories_list",
  ["user", "before", "limit"],
  `select ${columns} from memories where user_id = $user::text and id < $before::uuid
order by memories.id desc limit $limit::integer`
)

const listed = prepared(
  "memories_listed",
  ["user", "ids"],
  `select ${columns} from memories where user_id = $user::text and id = any($ids::uuid[]) order by memories.id desc`
)

const matches = rowsOf(Schema.Struct({ ids: Schema.Array(MemoryId), end: Schema.NullOr(MemoryId) }))
const nothing: { readonly ids: ReadonlyArray<MemoryId>; readonly end: null } = { ids: [], end: null }

/** Each of them may be on a page of its own. */
const maxSearched = 4_000

/** The memories with the text among the newest, and the last of these if there may be more. */
const matching = prepared(
  "memories_search",
  ["user", "before", "limit", "q"],
  `with searched as materialized (
  select id, position(lower($q::text) in lower(content)) > 0
    or exists (select from unnest(tags) tag where position(lower($q::text) in lower(tag)) > 0) as matches
  from memories where user_id = $user::text and id < $before::uuid order by id desc limit ${maxSearched}
)
select array(select id::text from searched where matches order by id desc limit $limit::integer) as ids,
  (select min(id::text) from searched having count(*) = ${maxSearched}) as end`
)
