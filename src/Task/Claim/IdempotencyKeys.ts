import { SqlClient } from "@effect/sql/SqlClient"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Schema } from "effect"
import { rowOf } from "../../Runtime/Database/Query.ts"

/** The request that has a key, and its task. */
const KeyRow = Schema.Struct({ digest: Schema.String, task_id: TaskId })
export type KeyRow = typeof KeyRow.Type
const keyRow = rowOf(KeyRow)

export const keyLifetime = "interval '24 hours'"

/** An expired key counts as new. */
export const ifExpired = `on conflict (caller, key) do update
  set digest = excluded.digest, task_id = excluded.task_id, created_at = excluded.created_at
  where k.created_at < now() - ${keyLifetime}`

/** The keys by which a caller's requests make a task or message once. The statement that inserts tasks takes the keys of tasks. */
export const makeIdempotencyKeys = Effect.map(SqlClient, (sql) => ({
  findKey: (caller: string, key: string) =>
    keyRow(sql`select digest, task_id::text from idempotency_keys
where caller = ${caller} and key = ${key} and created_at >= now() - ${sql.literal(keyLifetime)}`),
  /** Takes a key for a request that makes no task by itself; false: it is taken. */
  takeKey: (caller: string, key: string, { digest, task_id }: KeyRow) =>
    sql`insert into idempotency_keys as k (caller, key, digest, task_id)
values (${caller}, ${key}, ${digest}, ${task_id}::uuid) ${sql.literal(ifExpired)} returning 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orDie
    ),
  assignKey: (caller: string, key: string, task: TaskId) =>
    sql`update idempotency_keys set task_id = ${task}::uuid where caller = ${caller} and key = ${key}`.pipe(
      Effect.asVoid,
      Effect.orDie
    )
}))
