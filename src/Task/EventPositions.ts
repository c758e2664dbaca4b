import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"
import { noTask } from "./EventPosition.ts"

/** The same for all processes: `select hashtext('troupe event positions')`. */
const lock = 620_947_183

const batch = 50_000

/** True unless the server has crashed (or the table is new): an unlogged table is empty then. */
const positionsComplete =
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

const maxRowsRead = 256

const pageBytes = 1_000_000

const oldestOpen = "pg_snapshot_xmin(pg_current_snapshot())"

/** The number of the oldest open transaction: everything before it is committed or rolled back. */
export const findOldestOpen: Prepared = { name: "events_oldest_open", text: `select ${oldestOpen} as oldest_open` }

/**
 * The rows after a position, or one without a task. A step is `superseded` if a later one has an earlier transaction
 * number.
 */
export const readEvents: Prepared = {
  name: "events_read",
  text: `with page as (
  select p.*, coalesce(s.at, case p.seq when 0 then t.created_at end) as at, s.body,
    array[t.creator, t.assignee, parent.creator, parent.assignee] as people
  from (
    select xact_id, task_id, seq from event_positions
    where (xact_id, task_id, seq) > ($1::xid8, $2::uuid, $3::integer) and xact_id < ${oldestOpen}
    order by xact_id, task_id, seq limit ${maxRowsRead}
  ) p
  left join steps s on s.task_id = p.task_id and s.seq = p.seq
  left join tasks t on t.id = p.task_id left join tasks parent on parent.id = t.parent_task_id
), sized as (
  select page.*, count(*) over () as found, row_number() over (order by xact_id, task_id, seq) as number,
    sum(octet_length(body)) over (order by xact_id, task_id, seq rows between unbounded preceding and 1 preceding)
      as bytes_before
  from page
)
select b.*, p.xact_id, p.task_id::text, p.seq, p.body as step, p.people, ${timestamp("p.at", "at")},
  p.found = ${maxRowsRead} or p.found > count(*) over () as has_more,
  exists (
    select from steps n where n.task_id = p.task_id and n.seq between p.seq + 1 and p.seq + 3 and n.xact_id < p.xact_id
  ) as superseded
from (
  select ${oldestOpen} as oldest_open, pg_snapshot_xmax(pg_current_snapshot()) > ${oldestOpen} as is_delayed,
    ${positionsComplete} as is_complete
) b left join sized p on coalesce(p.bytes_before, 0) < ${pageBytes}
order by p.number`
}
