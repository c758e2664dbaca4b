import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { Memory, MemoryId } from "@troupe/domain/Memory"
import { Context, Effect, Layer } from "effect"
import { type Prepared, PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"
import { sketchOf } from "./Sketch.ts"

/** Vectors of one space are comparable: those that one model made, with the same number of dimensions. */
export interface Space {
  readonly model: string
  readonly dimensions: number
}

/** What is known of a user's memories as a whole; `version` rises with each change, `removals` with each loss. */
export interface Owner {
  readonly version: number
  readonly removals: number
  readonly memories: number
}

/** A memory as it stands in the table; `taskId` is that of the task of which it tells. */
export interface StoredMemory extends Memory {
  readonly taskId: TaskId | null
}

/** A row to be written; `isNew` says that none of its id stands there. */
export interface MemoryWrite {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly taskId: TaskId | null
  readonly vector: Float32Array
  readonly isNew: boolean
}

/** A memory whose vector is of another space. */
export interface Stranger {
  readonly id: MemoryId
  readonly content: string
  readonly version: number
}

/** Memories in the database: every statement is about one user's. */
export class MemoryRepo extends Context.Tag("troupe/Memory/MemoryRepo")<MemoryRepo, {
  readonly owner: (userId: UserId) => Effect.Effect<Owner, SqlError>
  readonly find: (userId: UserId, ids: ReadonlyArray<MemoryId>) => Effect.Effect<ReadonlyArray<StoredMemory>, SqlError>
  /**
   * Writes the rows and marks the tasks, all or nothing; false, and nothing is written, when the user's memories are
   * no longer at `version`.
   */
  readonly write: (userId: UserId, change: {
    readonly version: number
    readonly space: Space
    readonly rows: ReadonlyArray<MemoryWrite>
    readonly tasks: ReadonlyArray<TaskId>
  }) => Effect.Effect<boolean, SqlError>
  /** Gives strangers their new vectors, but those that were changed or removed meanwhile. */
  readonly renew: (
    userId: UserId,
    space: Space,
    renewed: ReadonlyArray<{ readonly id: MemoryId; readonly version: number; readonly vector: Float32Array }>
  ) => Effect.Effect<void, SqlError>
  /** Adds sketches to memories that have none, but those that were changed or removed meanwhile. */
  readonly addSketches: (
    userId: UserId,
    made: ReadonlyArray<{ readonly id: MemoryId; readonly version: number; readonly sketch: Uint8Array }>
  ) => Effect.Effect<void, SqlError>
  readonly strangers: (userId: UserId, space: Space, limit: number) => Effect.Effect<ReadonlyArray<Stranger>, SqlError>
  /** Removes at most so many of the user's memories of tasks, those first that were longest without a change. */
  readonly removeOldest: (userId: UserId, count: number) => Effect.Effect<void, SqlError>
  /** Which of these tasks are marked already. */
  readonly marked: (tasks: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlySet<TaskId>, SqlError>
}>() {
  static readonly layer: Layer.Layer<MemoryRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) =>
      MemoryRepo.of({
        owner: (userId) => Effect.map(execute(owner, [userId]), ([row]) => row === undefined ? nobody : ownerOf(row)),
        find: (userId, ids) =>
          ids.length === 0
            ? Effect.succeed([])
            : Effect.map(execute(find, [userId, ids]), (rows) => rows.map(memoryOf)),
        write: (userId, { rows, space, tasks, version }) =>
          Effect.map(
            execute(write, [
              userId,
              version,
              space.model,
              space.dimensions,
              JSON.stringify(rows.map(written)),
              rows.filter(({ isNew }) => isNew).length,
              tasks
            ]),
            (moved) => moved.length > 0
          ),
        renew: (userId, space, renewed) =>
          Effect.asVoid(execute(renew, [
            userId,
            space.model,
            space.dimensions,
            JSON.stringify(renewed.map(({ vector, ...row }) => ({ ...row, ...vectorColumns(vector) })))
          ])),
        addSketches: (userId, made) =>
          Effect.asVoid(execute(addSketches, [
            userId,
            JSON.stringify(made.map(({ sketch, ...row }) => ({ ...row, sketch: base64(sketch) })))
          ])),
        strangers: (userId, space, limit) =>
          Effect.map(
            execute(strangers, [userId, space.model, space.dimensions, limit]),
            (rows) => rows.map(strangerOf)
          ),
        removeOldest: (userId, count) => Effect.asVoid(execute(removeOldest, [userId, count])),
        marked: (tasks) =>
          tasks.length === 0
            ? Effect.succeed(new Set())
            : Effect.map(execute(marked, [tasks]), (rows) => new Set(rows.map((row) => row["task_id"] as TaskId)))
      }))
  )
}

const nobody: Owner = { version: 0, removals: 0, memories: 0 }

// The rows come from our own statements, whose columns the tables' constraints guard.
const ownerOf = (row: Row): Owner => ({
  version: row["version"] as number,
  removals: row["removals"] as number,
  memories: row["memories"] as number
})

const memoryOf = (row: Row): StoredMemory => ({
  id: row["id"] as MemoryId,
  content: row["content"] as string,
  tags: row["tags"] as ReadonlyArray<string>,
  taskId: row["task_id"] as TaskId | null,
  createdAt: row["created_at"] as string,
  updatedAt: row["updated_at"] as string
})

const strangerOf = (row: Row): Stranger => ({
  id: row["id"] as MemoryId,
  content: row["content"] as string,
  version: row["version"] as number
})

const written = ({ content, id, tags, taskId, vector }: MemoryWrite) => ({
  id,
  content: storable(content),
  tags: tags.map(storable),
  task_id: taskId,
  ...vectorColumns(vector)
})

const vectorColumns = (vector: Float32Array) => ({ vector: Array.from(vector), sketch: base64(sketchOf(vector)) })

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`

const columns = `id::text, content, tags, task_id::text, ${iso("created_at")}, ${iso("updated_at")}`

const owner: Prepared = {
  name: "memory_owner",
  text: "select version, removals, memories from memory_owners where user_id = $1::text"
}

const find: Prepared = {
  name: "memory_find",
  text: `
select ${columns}
from unnest($2::uuid[]) as wanted(key), lateral (select * from memories where id = wanted.key offset 0) as m
where user_id = $1::text`
}

/**
 * The owner's row decides: whoever raises it from the version that was looked at writes, all others find it raised.
 * Counts what the rows add, so that it stays right without counting.
 */
const write: Prepared = {
  name: "memory_write",
  text: `
with moved as (
  insert into memory_owners as o (user_id, version, memories) select $1::text, 1, $6::integer
  where $2::integer = 0 or exists (select from memory_owners where user_id = $1::text)
  on conflict (user_id) do update set version = o.version + 1, memories = o.memories + excluded.memories
  where o.version = $2::integer
  returning version
), marks as (
  insert into remembered_tasks (task_id) select t from unnest($7::uuid[]) as t, moved on conflict do nothing
), rows as (
  insert into memories as m (id, user_id, content, tags, task_id, model, dimensions, vector, sketch, version,
    created_at, updated_at)
  select i.id, $1::text, i.content, i.tags, i.task_id, $3::text, $4::integer, i.vector, decode(i.sketch, 'base64'),
    moved.version, now(), now()
  from moved, json_to_recordset($5::json)
    as i(id uuid, content text, tags text[], task_id uuid, vector real[], sketch text)
  on conflict (id) do update set content = excluded.content, tags = excluded.tags, task_id = excluded.task_id,
    model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector, sketch = excluded.sketch,
    version = excluded.version, updated_at = excluded.updated_at
  where m.user_id = excluded.user_id
)
select version from moved`
}

const renew: Prepared = {
  name: "memory_renew",
  text: `
with moved as (
  update memory_owners set version = version + 1 where user_id = $1::text returning version
)
update memories m set model = $2::text, dimensions = $3::integer, vector = i.vector,
  sketch = decode(i.sketch, 'base64'), version = moved.version
from moved, json_to_recordset($4::json) as i(id uuid, version integer, vector real[], sketch text)
where m.id = i.id and m.user_id = $1::text and m.version = i.version`
}

/** The version stays, as nothing is told that was not known. The owner's row first, as all who write take it. */
const addSketches: Prepared = {
  name: "memory_add_sketches",
  text: `
with held as (
  select user_id from memory_owners where user_id = $1::text for update
)
update memories m set sketch = decode(i.sketch, 'base64')
from held, json_to_recordset($2::json) as i(id uuid, version integer, sketch text)
where m.id = i.id and m.user_id = $1::text and m.version = i.version and m.sketch is null`
}

/** Four looks into the index beside the space that is asked for, instead of one over all of it. */
const strangers: Prepared = {
  name: "memory_strangers",
  text: [
    "model < $2::text",
    "model > $2::text",
    "model = $2::text and dimensions < $3::integer",
    "model = $2::text and dimensions > $3::integer"
  ].map((beside) =>
    `(select id::text, content, version from memories where user_id = $1::text and ${beside} limit $4::integer)`
  ).join("\nunion all\n") + "\nlimit $4::integer"
}

const lost = `
update memory_owners set version = version + 1, removals = removals + 1,
  memories = memories - (select count(*) from gone)::integer
where user_id = $1::text and exists (select from gone) returning version`

const removeOldest: Prepared = {
  name: "memory_remove_oldest",
  text: `with gone as (
  delete from memories where user_id = $1::text and id = any(array(
    select id from memories where user_id = $1::text and task_id is not null order by updated_at, id limit $2::integer
  )) returning id
)${lost}`
}

const marked: Prepared = {
  name: "memory_marked",
  text: "select task_id::text from remembered_tasks where task_id = any($1::uuid[])"
}
