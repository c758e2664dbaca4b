import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { positionsComplete } from "./EventPositions.ts"

export const maxRowsRead = 256

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
  select p.*, coalesce(s.at, (select t.created_at from tasks t where t.id = p.task_id and p.seq = 0)) as at, s.body
  from (
    select xact_id, task_id, seq from event_positions
    where (xact_id, task_id, seq) > ($1::xid8, $2::uuid, $3::integer) and xact_id < ${oldestOpen}
    order by xact_id, task_id, seq limit ${maxRowsRead}
  ) p
  left join steps s on s.task_id = p.task_id and s.seq = p.seq
), sized as (
  select page.*, count(*) over () as found, row_number() over (order by xact_id, task_id, seq) as number,
    sum(octet_length(body)) over (order by xact_id, task_id, seq rows between unbounded preceding and 1 preceding)
      as bytes_before
  from page
)
select b.*, p.xact_id, p.task_id::text, p.seq, p.body,
  to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
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
