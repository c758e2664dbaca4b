import type { Prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { stepColumns } from "../TaskRow.ts"

export const maxStepsRead = 256

/** The steps of each task ($1) after the number beside it ($2), of all of them in one statement. */
export const readSteps: Prepared = {
  name: "watch_read_steps",
  text: `select task_id::text, ${stepColumns}
from unnest($1::uuid[], $2::integer[]) as w(id, after), lateral (
  select task_id, seq, at, body from steps where task_id = w.id and seq > w.after order by seq limit ${maxStepsRead}
) s
order by s.task_id, s.seq`
}

/** Those of the tasks ($1) whose last step is another than the number beside it ($2); null for one that is removed. */
export const findMoved: Prepared = {
  name: "watch_find_moved",
  text: `select w.id::text as task_id, a.seq
from unnest($1::uuid[], $2::integer[]) as w(id, seq) left join actors a on a.task_id = w.id
where a.seq is distinct from w.seq`
}

/**
 * These tasks count as watched for two minutes: each step is notified to other processes, and a run that begins streams
 * the model's text. Rows that are being written are left out, so nobody waits.
 */
export const announce: Prepared = {
  name: "watch_announce",
  text: `with free as materialized (
  select task_id from actors where task_id = any($1::uuid[]) order by task_id for no key update skip locked
)
update actors a set watched_until = now() + interval '2 minutes'
from free where a.task_id = free.task_id
returning a.task_id::text`
}

const maxEventsRead = 256

const pageBytes = 1_000_000

const oldestOpen = "pg_snapshot_xmin(pg_current_snapshot())"

/** The number of the oldest open transaction: everything before it is committed or rolled back. */
export const findOldestOpen: Prepared = { name: "events_oldest_open", text: `select ${oldestOpen} as oldest_open` }

/** `number` is that of the step within its task. */
const rowsAfter = (table: string, { id, number, rest }: Readonly<Record<"id" | "number" | "rest", string>>): string =>
  `(select xact_id, ${id} as task_id, ${number} as seq, ${rest} from ${table}
    where (xact_id, ${id}, ${number}) > ($1::xid8, $2::uuid, $3::integer) and xact_id < ${oldestOpen}
    order by 1, 2, 3 limit ${maxEventsRead})`

/** The number of a task's deletion, after those of its steps. */
export const deletionNumber = 999_999_999

/**
 * The rows after a position, or one without a task: steps, tasks, whose creation has the number 0, and deleted tasks. An
 * archived task has its archiving instead of its creation. A step is `superseded` if a later one has an earlier transaction
 * number.
 */
export const readEvents: Prepared = {
  name: "events_read",
  text: `with page as (
  select e.*, t.task_type = 'subtask' as is_subtask, t.archived_at is not null as is_archived, array[t.creator, t.assignee, parent.creator, parent.assignee] as people
  from (
    select * from (
      ${rowsAfter("steps", { id: "task_id", number: "seq", rest: "at, body" })}
      union all
      ${rowsAfter("tasks", { id: "id", number: "0", rest: "created_at, null" })}
      union all
      ${rowsAfter("remembered_tasks", { id: "task_id", number: String(deletionNumber), rest: "at, null" })}
    ) found order by xact_id, task_id, seq limit ${maxEventsRead}
  ) e
  left join tasks t on t.id = e.task_id left join tasks parent on parent.id = t.parent_task_id
), sized as (
  select page.*, count(*) over () as found, row_number() over (order by xact_id, task_id, seq) as number,
    sum(octet_length(body)) over (order by xact_id, task_id, seq rows between unbounded preceding and 1 preceding)
      as bytes_before
  from page
)
select b.*, p.xact_id, p.task_id::text, p.seq, p.body as step, p.people, p.is_subtask, p.is_archived, ${
    timestamp("p.at", "at")
  },
  p.found = ${maxEventsRead} or p.found > count(*) over () as has_more,
  exists (
    select from steps n where n.task_id = p.task_id and n.seq between p.seq + 1 and p.seq + 3 and n.xact_id < p.xact_id
  ) as superseded
from (
  select ${oldestOpen} as oldest_open, pg_snapshot_xmax(pg_current_snapshot()) > ${oldestOpen} as is_delayed
) b left join sized p on coalesce(p.bytes_before, 0) < ${pageBytes}
order by p.number`
}
