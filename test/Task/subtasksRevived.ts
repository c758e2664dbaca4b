import { TaskId } from "@troupe/domain/Ids"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { eventually } from "../support/Eventually.ts"
import { rowOf } from "../support/TaskRows.ts"
import { Wire } from "../support/TaskWorld.ts"

export const becomes = (id: TaskId, status: string) =>
  eventually(Effect.map(rowOf(id), (row) => row.status), (current) => current === status)

export const childrenOf = (id: TaskId, count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const look = query<{ id: string }>("select id from tasks where parent_task_id = $1 order by id", [id])
    return (yield* eventually(look, (rows) => rows.length === count)).map((row) => TaskId.make(row.id))
  })

export const tools = [dispatchSubagent]

/** Runs statements outside the pool, for a transaction that stays open. */
export const anotherConnection = Effect.gen(function*() {
  const url = yield* DatabaseUrl
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: Redacted.value(url) })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
  return (text: string, values: ReadonlyArray<unknown> = []) => Effect.promise(() => client.query(text, [...values]))
})

/** Waits until so many connections wait for a lock. */
export const waiters = (count: number) =>
  Effect.flatMap(Wire, ({ query }) =>
    eventually(
      query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"),
      (rows) => rows.length >= count
    ))
