import * as SqlClient from "@effect/sql/SqlClient"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import { MemoryId, MemoryOrigin } from "@troupe/domain/Memory"
import { Context, Effect, Layer, Schema } from "effect"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"

/** Vectors are comparable within a space: those of one model with the same number of dimensions. */
export interface Space {
  readonly model: string
  readonly dimensions: number
}

/** A user's memories as a whole: `version` rises with each change, `removals` with each removal. */
const Owner = Schema.Struct({ version: Schema.Int, removals: Schema.Int, memories: Schema.Int })
export type Owner = typeof Owner.Type

const StoredMemory = Schema.Struct({
  id: MemoryId,
  content: Schema.String,
  tags: Schema.Array(Schema.String),
  /** The task whose end the memory is; null for what an agent saved. */
  taskId: Schema.NullOr(TaskId),
  /** `outside`: the task that saved it had seen something from outside. */
  origin: Schema.NullOr(MemoryOrigin),
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type StoredMemory = typeof StoredMemory.Type

export interface MemoryWrite {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly taskId: TaskId | null
  readonly origin?: MemoryOrigin | null | undefined
  readonly vector: Float32Array
  readonly isNew: boolean
}

const StaleMemory = Schema.Struct({ id: MemoryId, content: Schema.String, version: Schema.Int })
export type StaleMemory = typeof StaleMemory.Type

/** The vector is dropped when the memory is no longer at this version. */
interface NewVector extends Omit<StaleMemory, "content"> {
  readonly vector: Float32Array
}

export class MemoryRepo extends Context.Tag("troupe/Memory/MemoryRepo")<MemoryRepo, {
  readonly owner: (userId: UserId) => Effect.Effect<Owner>
  readonly find: (userId: UserId, ids: ReadonlyArray<MemoryId>) => Effect.Effect<ReadonlyArray<StoredMemory>>
  /** Writes the rows and marks the tasks as remembered; false: nothing was written, as `version` is outdated. */
  readonly write: (userId: UserId, change: {
    readonly version: number
    readonly space: Space
    readonly rows: ReadonlyArray<MemoryWrite>
    readonly tasks: ReadonlyArray<TaskId>
  }) => Effect.Effect<boolean>
  readonly stale: (userId: UserId, space: Space, limit: number) => Effect.Effect<ReadonlyArray<StaleMemory>>
  readonly renew: (userId: UserId, space: Space, renewed: ReadonlyArray<NewVector>) => Effect.Effect<void>
  /** Removes up to `count` of the user's memories of tasks, the longest unchanged first. */
  readonly removeOldest: (userId: UserId, count: number) => Effect.Effect<void>
  readonly remove: (userId: UserId, id: MemoryId) => Effect.Effect<boolean>
  /** The owner's row stays, with counts alone, so that a save or a cache that is behind notices. */
  readonly removeAll: (userId: UserId) => Effect.Effect<void>
  /** Records that a task of the user began without its memories, once a minute at most. */
  readonly leftOut: (userId: UserId) => Effect.Effect<void>
  readonly remembered: (tasks: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlySet<TaskId>>
}>() {
  static readonly layer: Layer.Layer<MemoryRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const owners = rowsOf(Owner)
const memories = rowsOf(StoredMemory)
const staleMemories = rowsOf(StaleMemory)
const rememberedTasks = rowsOf(Schema.Struct({ task_id: TaskId }))

function makeRepo(sql: SqlClient.SqlClient): MemoryRepo["Type"] {
  /** In the order of versions, so that renewed memories come last. */
  const stale: MemoryRepo["Type"]["stale"] = (userId, { dimensions, model }, limit) =>
    staleMemories(sql`select id::text, content, version from memories
where user_id = ${userId} and (model, dimensions) is distinct from (${model}::text, ${dimensions}::integer)
order by version, memories.id limit ${limit}`)

  /** Whoever raises the owner's row from the version that they read writes; all others find it raised. */
  const write: MemoryRepo["Type"]["write"] = (userId, { rows, space, tasks, version }) => {
    const added = rows.filter(({ isNew }) => isNew).length
    return Effect.map(
      sql`
with raised as (
  insert into memory_owners as o (user_id, version, memories) select ${userId}::text, 1, ${added}::integer
  where ${version}::integer = 0 or exists (select from memory_owners where user_id = ${userId}::text)
  on conflict (user_id) do update set version = o.version + 1, memories = o.memories + excluded.memories
  where o.version = ${version}::integer
  returning version
), marked as (
  insert into remembered_tasks (task_id) select t from unnest(${tasks}::uuid[]) as t, raised on conflict do nothing
), written as (
  insert into memories as m
    (id, user_id, content, tags, task_id, origin, model, dimensions, vector, version, created_at, updated_at)
  select i.id, ${userId}::text, i.content, i.tags, i.task_id, i.origin, ${space.model}::text, ${space.dimensions}::integer,
    i.vector, raised.version, now(), now()
  from raised, json_to_recordset(${JSON.stringify(rows.map(rowOf))}::json)
    as i(id uuid, content text, tags text[], task_id uuid, origin text, vector real[])
  where i.task_id is null or not exists (select from remembered_tasks r where r.task_id = i.task_id)
  on conflict (user_id, id) do update set content = excluded.content, tags = excluded.tags, task_id = excluded.task_id,
    origin = excluded.origin,
    model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector, version = excluded.version,
    updated_at = excluded.updated_at
)
select version from raised`,
      (raised) => raised.length > 0
    ).pipe(Effect.orDie)
  }

  const renew: MemoryRepo["Type"]["renew"] = (userId, space, renewed) => {
    const rows = JSON.stringify(renewed.map(({ vector, ...row }) => ({ ...row, vector: Array.from(vector) })))
    return sql`
with raised as (
  update memory_owners set version = version + 1 where user_id = ${userId} returning version
)
update memories m set model = ${space.model}, dimensions = ${space.dimensions}, vector = i.vector,
  version = raised.version
from raised, json_to_recordset(${rows}::json) as i(id uuid, version integer, vector real[])
where m.id = i.id and m.user_id = ${userId} and m.version = i.version`.pipe(Effect.orDie, Effect.asVoid)
  }

  /** Every change locks the owner's row before rows of memories; two in different orders would be a deadlock. */
  const lockedOwner = (userId: UserId) =>
    sql`owner as materialized (
  select user_id from memory_owners where user_id = ${userId} for update
)`

  const removeOldest: MemoryRepo["Type"]["removeOldest"] = (userId, count) =>
    sql`
with ${lockedOwner(userId)}, removed as (
  delete from memories m using owner o where m.user_id = o.user_id and m.id = any(array(
    select id from memories where user_id = ${userId} and task_id is not null order by updated_at, id limit ${count}
  )) returning m.id
)
update memory_owners set version = version + 1, removals = removals + 1,
  memories = memories - (select count(*) from removed)::integer
where user_id = ${userId} and exists (select from removed)`.pipe(Effect.orDie, Effect.asVoid)

  const remove: MemoryRepo["Type"]["remove"] = (userId, id) =>
    sql`
with ${lockedOwner(userId)}, removed as (
  delete from memories m using owner o where m.id = ${id}::uuid and m.user_id = o.user_id returning m.id
)
update memory_owners set version = version + 1, removals = removals + 1, memories = memories - 1
where user_id = ${userId} and exists (select from removed) returning user_id`.pipe(
      Effect.map(({ length }) => length > 0),
      Effect.orDie
    )

  /** The owner's row is locked first: no concurrent save adds a memory that would survive. */
  const removeAll: MemoryRepo["Type"]["removeAll"] = (userId) =>
    sql`
insert into memory_owners as o (user_id, version, memories) values (${userId}, 1, 0)
on conflict (user_id) do update set version = o.version + 1, removals = o.removals + 1, memories = 0`.pipe(
      Effect.zipRight(sql`delete from memories where user_id = ${userId}`),
      sql.withTransaction,
      Effect.orDie,
      Effect.asVoid
    )

  return MemoryRepo.of({
    owner: (userId) =>
      Effect.map(
        owners(sql`select version, removals, memories from memory_owners where user_id = ${userId}`),
        ([owner = noMemories]) => owner
      ),
    find: (userId, ids) =>
      ids.length === 0 ? Effect.succeed([]) : memories(
        sql`
select id::text, content, tags, task_id::text as "taskId", origin,
  ${sql.literal(timestamp("created_at", `"createdAt"`))}, ${sql.literal(timestamp("updated_at", `"updatedAt"`))}
from memories where id = any(${ids}::uuid[]) and user_id = ${userId}`
      ),
    write,
    stale,
    renew,
    removeOldest,
    remove,
    removeAll,
    leftOut: (userId) =>
      Effect.asVoid(Effect.orDie(sql`update memory_owners set left_out_at = now()
where user_id = ${userId} and coalesce(left_out_at, '-infinity') < now() - interval '1 minute'`)),
    remembered: (tasks) =>
      tasks.length === 0 ? Effect.succeed(new Set()) : Effect.map(
        rememberedTasks(sql`select task_id::text from remembered_tasks where task_id = any(${tasks}::uuid[])`),
        (rows) => new Set(rows.map((row) => row.task_id))
      )
  })
}

const noMemories: Owner = { version: 0, removals: 0, memories: 0 }

const rowOf = ({ content, id, origin, tags, taskId, vector }: MemoryWrite) => ({
  id,
  content: storable(content),
  tags: tags.map(storable),
  task_id: taskId,
  origin,
  vector: Array.from(vector)
})
