import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { stepColumns } from "./TaskView.ts"

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
