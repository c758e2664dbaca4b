import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { noTask } from "./EventPosition.ts"

/** The same for all processes: `select hashtext('troupe event positions')`. */
const lock = 620_947_183

const batch = 50_000

/** True unless the server has crashed (or the table is new): an unlogged table is empty then. */
export const positionsComplete =
  `exists (select from event_positions where xact_id = '0' and task_id = '${noTask}' and seq = -1)`

/**
 * Fills `event_positions` in one transaction, so a crash leaves it incomplete. Does nothing while another process fills
 * it.
 */
export const completePositions: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const copy = Effect.fnUntraced(function*(page: string) {
    let last: Key | undefined = { task_id: noTask, seq: 0 }
    while (last !== undefined) {
      const keys: ReadonlyArray<Key> = yield* sql.unsafe<Key>(copied(page), [last.task_id, last.seq])
      last = keys[0]
    }
  })
  yield* Effect.gen(function*() {
    const [state] = yield* sql.unsafe<{ readonly needed: boolean }>(
      `select not ${positionsComplete} and pg_try_advisory_xact_lock(${lock}) as needed`
    )
    if (state?.needed !== true) return
    yield* Effect.logInfo(
      "Filling the table of event positions, which is empty at first and after a crash of PostgreSQL"
    )
    yield* copy(tasks)
    yield* copy(steps)
    yield* sql`insert into event_positions values ('0', ${noTask}, -1) on conflict do nothing`
  }).pipe(sql.withTransaction)
}).pipe(asService)

interface Key {
  readonly task_id: string
  readonly seq: number
}

const tasks = `select id as task_id, 0 as seq, xact_id from tasks where id > $1::uuid and $2::integer = 0
  order by id limit ${batch}`

const steps = `select task_id, seq, xact_id from steps where (task_id, seq) > ($1::uuid, $2::integer)
  order by task_id, seq limit ${batch}`

const copied = (page: string): string =>
  `with page as materialized (
  ${page}
), copied as (
  insert into event_positions (xact_id, task_id, seq)
  select xact_id, task_id, seq from page where xact_id is not null
  on conflict do nothing
)
select task_id::text, seq from page order by page.task_id desc, page.seq desc limit 1`
