import type { Prepared } from "../Runtime/PreparedStatements.ts"

export const maxRowsRead = 256

/** Bytes of steps after which a page ends. */
const pageBytes = 1_000_000

const oldestOpen = "pg_snapshot_xmin(pg_current_snapshot())"

/** The number of the oldest open transaction: everything before it is committed or rolled back. */
export const findOldestOpen: Prepared = { name: "events_oldest_open", text: `select ${oldestOpen} as oldest_open` }

const rowsOf = (table: string, columns: string, task: string, seq: string) =>
  `(select xact_id, ${columns} from ${table}
    where xact_id >= $1::xid8 and xact_id < ${oldestOpen} and (xact_id, ${task}, ${seq}) > ($1::xid8, $2::uuid, $3::integer)
    order by xact_id, task_id, seq limit ${maxRowsRead})`

/**
 * The rows of all tasks after a position, up to a limit of rows and bytes, and one row without a task if there are none.
 * Two transactions that waited for each other may have numbers in the other order: a step is `superseded` if one after it
 * came before.
 */
export const readEvents: Prepared = {
  name: "events_read",
  text: `with page as (
  select * from (
    ${rowsOf("tasks", "id as task_id, 0 as seq, created_at as at, null as body", "id", "0")}
    union all
    ${rowsOf("steps", "task_id, seq, at, body", "task_id", "seq")}
  ) written order by xact_id, task_id, seq limit ${maxRowsRead}
), sized as (
  select page.*, count(*) over () as found, row_number() over (order by xact_id, task_id, seq) as number,
    sum(octet_length(body)) over (order by xact_id, task_id, seq rows between unbounded preceding and 1 preceding)
      as bytes_before
  from page
)
select b.oldest_open, b.is_delayed, p.xact_id, p.task_id::text, p.seq, p.body,
  to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  p.found = ${maxRowsRead} or p.found > count(*) over () as has_more,
  exists (
    select from steps n where n.task_id = p.task_id and n.seq between p.seq + 1 and p.seq + 3 and n.xact_id < p.xact_id
  ) as superseded
from (
  select ${oldestOpen} as oldest_open, pg_snapshot_xmax(pg_current_snapshot()) > ${oldestOpen} as is_delayed
) b left join sized p on coalesce(p.bytes_before, 0) < ${pageBytes}
order by p.number`
}
